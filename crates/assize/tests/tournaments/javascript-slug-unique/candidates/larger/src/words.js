/** Joins as many words with dashes as fit. */
export function joinWords(words, longest) {
  const [first, ...others] = words;
  let joined = first.slice(0, longest);
  for (const word of others) {
    const next = `${joined}-${word}`;
    if (next.length > longest) {
      return joined;
    }
    joined = next;
  }
  return joined;
}
