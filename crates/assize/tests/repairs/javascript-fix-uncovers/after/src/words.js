/** Returns the words of a text. */
export function words(text) {
  return text.split(/\s+/u).filter(Boolean);
}

/** Returns the longest word. */
export function longest(text) {
  let found = "";
  for (const word of words(text)) {
    const isLonger = word.length > found.length;
    if (isLonger) {
      found = word;
    }
  }
  return found;
}
