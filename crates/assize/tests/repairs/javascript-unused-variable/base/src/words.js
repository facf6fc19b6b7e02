/** Returns the words of a text. */
export function words(text) {
  return text.split(/\s+/u).filter(Boolean);
}
