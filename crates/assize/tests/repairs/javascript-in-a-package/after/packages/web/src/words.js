/** Returns the words of a text. */
export function words(text) {
  return text.split(/\s+/u).filter(Boolean);
}

/** Returns how many letters the words have. */
export function letters(text) {
  let sum = 0;
  for (const { length } of words(text)) {
    sum += length;
  }
  return sum;
}
