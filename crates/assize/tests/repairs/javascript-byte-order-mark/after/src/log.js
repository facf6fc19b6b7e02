/** Returns a line of a log. */
export function line(level, text) {
  return `${level}: ${text}`;
}

/** Returns the level of a line. */
export function level(text) {
  const end = text.indexOf(":");
  return end < 0 ? "" : text.slice(0, end);
}
