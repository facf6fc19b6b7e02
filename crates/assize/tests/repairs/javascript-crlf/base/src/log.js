/** Returns a line of a log. */
export function line(level, text) {
  return `${level}: ${text}`;
}
