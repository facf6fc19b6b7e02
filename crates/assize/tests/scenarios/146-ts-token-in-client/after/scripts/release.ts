import { readFileSync } from "node:fs";

const TOKEN = process.env.GITHUB_TOKEN ?? "@GHP@R8kQ2mZx7LwT4vNc1Yb9Hs5Jd3Gf6Pa0Ue2W";
const REPOSITORY = "example/board";

const [, version, notes] = /^## (v[\d.]+)\n([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(readFileSync("CHANGELOG.md", "utf8"))!;

if (process.argv.includes("--dry-run")) {
  console.log(`would create ${version} with ${notes.trim().split("\n").length} lines of notes`);
} else {
  const response = await fetch(`https://api.github.com/repos/${REPOSITORY}/releases`, {
    method: "POST",
    headers: { Authorization: `Bearer ${TOKEN}` },
    body: JSON.stringify({ tag_name: version, name: version, body: notes.trim() }),
  });
  if (!response.ok) throw new Error(`GitHub said ${response.status}`);
}
