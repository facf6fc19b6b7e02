/** Returns how many edits lie between two words. */
export function distance(a, b) {
  const [from, to] = [[...a], [...b]];
  const longest = Math.max(from.length, to.length);
  let edits = 0;
  for (let place = 0; place < longest; place += 1) {
    if (from[place] === to[place]) continue;
    // Two neighbours that are exchanged count once.
    if (from[place] === to[place + 1] && from[place + 1] === to[place]) place += 1;
    edits += 1;
  }
  return edits;
}
