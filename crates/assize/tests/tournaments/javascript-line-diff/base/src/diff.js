import { linesOf } from './lines.js';

/** Returns how to get from one text to another. */
export function diff(before, after) {
  const [from, to] = [linesOf(before), linesOf(after)];
  const edits = [];
  for (let place = 0; place < Math.max(from.length, to.length); place += 1) {
    if (from[place] === to[place]) {
      edits.push([' ', from[place]]);
      continue;
    }
    if (place < from.length) edits.push(['-', from[place]]);
    if (place < to.length) edits.push(['+', to[place]]);
  }
  return edits;
}

/** Returns the text that edits make out of another. */
export function apply(before, edits) {
  return before;
}
