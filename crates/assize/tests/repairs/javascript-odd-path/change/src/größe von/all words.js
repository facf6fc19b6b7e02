/** Returns the words of a text. */
export function words(text) {
  return text.split(/\s+/u).filter(Boolean);
}

/** Returns the length of each word. */
export function sizes(text) {
  return words(text).map((word) => {
    return word.length;
  });
}
