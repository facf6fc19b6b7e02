import { linesOf, textOf } from './lines.js';

/** Returns how to get from one text to another. */
export function diff(before, after) {
  const [from, to] = [linesOf(before), linesOf(after)];
  const common = commonLengths(from, to);
  const edits = [];
  let come = [];
  let [i, j] = [0, 0];
  while (i < from.length || j < to.length) {
    if (i < from.length && j < to.length && from[i] === to[j]) {
      edits.push(...come, [' ', from[i]]);
      come = [];
      i += 1;
      j += 1;
    } else if (j === to.length || (i < from.length && common[i + 1][j] >= common[i][j + 1])) {
      edits.push(['-', from[i++]]);
    } else {
      come.push(['+', to[j++]]);
    }
  }
  return [...edits, ...come];
}

/** Returns the text that edits make out of another. */
export function apply(before, edits) {
  const from = linesOf(before);
  const to = [];
  for (const [sign, line] of edits) {
    if (sign !== '+' && (!' -'.includes(sign) || from.shift() !== line)) throw new RangeError(`no such line: ${line}`);
    if (sign !== '-') to.push(line);
  }
  if (from.length > 0) throw new RangeError('lines are left over');
  return textOf(to);
}

/** Returns how long the longest common part of what follows is, at each place. */
function commonLengths(from, to) {
  const lengths = Array.from({ length: from.length + 1 }, () => new Array(to.length + 1).fill(0));
  for (let i = from.length - 1; i >= 0; i -= 1) {
    for (let j = to.length - 1; j >= 0; j -= 1) {
      lengths[i][j] = from[i] === to[j] ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
    }
  }
  return lengths;
}
