/** Returns the words of a text. */
export function words(text) {
  return text.split(/\s+/u).filter(Boolean);
}

/** Returns whether a value is a single word. */
export function isWord(value, expected = value) {
  return typeof value === "string" && words(value).length === 1 && value == expected;
}
