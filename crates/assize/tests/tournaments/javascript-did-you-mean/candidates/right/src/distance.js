/** Returns how many edits lie between two words. */
export function distance(a, b) {
  const [from, to] = [[...a], [...b]];
  let before = [];
  let last = [];
  let row = Array.from({ length: to.length + 1 }, (_, place) => place);
  for (let i = 1; i <= from.length; i += 1) {
    [before, last, row] = [last, row, [i]];
    for (let j = 1; j <= to.length; j += 1) {
      const replaced = last[j - 1] + (from[i - 1] === to[j - 1] ? 0 : 1);
      row[j] = Math.min(replaced, last[j] + 1, row[j - 1] + 1);
      if (i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]) {
        row[j] = Math.min(row[j], before[j - 2] + 1);
      }
    }
  }
  return row[to.length];
}
