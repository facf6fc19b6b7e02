/** Returns the words of a text. */
export function words(text) {
  return text.split(/\s+/u).filter(Boolean);
}

/** Returns the first word. */
export function first(text) {
  const [found, next] = words(text);
  return found;
}
