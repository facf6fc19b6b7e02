export type Issue = { number: number; title: string; labels: string[] };

type Answer = { number: number; title: string; labels: { name: string }[]; pull_request?: object };

/** Loads the open issues of `owner/name`, without pull requests. */
export async function loadIssues(repo: string, token?: string): Promise<Issue[]> {
  const response = await fetch(`https://api.github.com/repos/${repo}/issues?state=open`, {
    headers: {
      Accept: "application/vnd.github+json",
      ...(token ? { Authorization: `Bearer ${token}` } : {}),
    },
  });
  if (!response.ok) {
    throw new Error(`GitHub answered ${response.status} for ${repo}`);
  }
  const answers = (await response.json()) as Answer[];
  return answers
    .filter((answer) => !answer.pull_request)
    .map(({ number, title, labels }) => ({ number, title, labels: labels.map((label) => label.name) }));
}
