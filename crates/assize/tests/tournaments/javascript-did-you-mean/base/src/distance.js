/** Returns how many edits lie between two words. */
export function distance(a, b) {
  return a === b ? 0 : Math.max(a.length, b.length);
}
