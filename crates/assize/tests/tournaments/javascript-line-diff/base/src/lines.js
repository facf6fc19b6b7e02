/** Returns the lines of a text; one without an end gets a backslash. */
export function linesOf(text) {
  const lines = text.split('\n');
  const last = lines.pop();
  return last === '' ? lines : [...lines, `${last}\\`];
}

/** Returns the text of lines. */
export function textOf(lines) {
  return lines.map((line) => `${line}\n`).join('').replace(/\\\n$/, '');
}
