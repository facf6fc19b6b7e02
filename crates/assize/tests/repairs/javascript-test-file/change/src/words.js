/** Returns the words of a text. */
export function words(text) {
  return text.split(/\s+/u).filter(Boolean);
}

/** Returns the words in capital letters. */
export function shout(text) {
  return words(text).map((word) => word.toUpperCase());
}
