/** Reads the rows of a CSV text as docs/import.md describes it. */
export function importCsv(text: string): string[][] {
  return text
    .split(/\r?\n/)
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map(splitLine);
}

function splitLine(line: string): string[] {
  const fields: string[] = [];
  let field = "";
  let quoted = false;
  for (let at = 0; at < line.length; at++) {
    const c = line[at];
    if (quoted && c === '"' && line[at + 1] === '"') {
      field += '"';
      at++;
    } else if (c === '"') {
      quoted = !quoted;
    } else if (c === ";" && !quoted) {
      fields.push(field);
      field = "";
    } else {
      field += c;
    }
  }
  return [...fields, field];
}
