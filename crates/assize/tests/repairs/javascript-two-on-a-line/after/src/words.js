/** Returns the words of a text. */
export function words(text) {
  return text.split(/\s+/u).filter(Boolean);
}

/** Returns a word with what is known of it. */
export function record(word) {
  const size = word.length;
  return { word, size, long: size > 6 };
}
