/** Returns the words of a text. */
export function words(text) {
  return text.split(/\s+/u).filter(Boolean);
}

/** Returns the words with one blank between them. */
export function joined(text) {
  return text ? word(text).join(" ") : "";
}
