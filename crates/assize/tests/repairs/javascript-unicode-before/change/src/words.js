/** Returns the words of a text. */
export function words(text) {
  return text.split(/\s+/u).filter(Boolean);
}

/** Returns a word with its mark. */
export function marked(word) {
  const marks = { "🌿": "größe ≤ 3", "🌳": "größe > 3", word: word };
  const mark = Object.keys(marks)[word.length > 3 ? 1 : 0];
  return "🌱".slice(2) + mark + " " + marks.word;
}
