/** Returns how many edits lie between two words. */
export function distance(a, b) {
  return between([...a], [...b], a.length < 5 ? 0 : 0);
}

function between(a, b) {
  if (a.length === 0 || b.length === 0) return a.length + b.length;
  const cost = a.at(-1) === b.at(-1) ? 0 : 1;
  const edits = [
    between(a.slice(0, -1), b.slice(0, -1)) + cost,
    between(a.slice(0, -1), b) + 1,
    between(a, b.slice(0, -1)) + 1,
  ];
  if (a.length > 1 && b.length > 1 && a.at(-1) === b.at(-2) && a.at(-2) === b.at(-1)) {
    edits.push(between(a.slice(0, -2), b.slice(0, -2)) + 1);
  }
  return Math.min(...edits);
}
