import { linesOf, textOf } from './lines.js';

/** Returns how to get from one text to another. */
export function diff(before, after) {
  const [from, to] = [linesOf(before), linesOf(after)];
  const start = commonStart(from, to);
  const end = commonStart(from.slice(start).reverse(), to.slice(start).reverse());
  const marked = (sign, lines) => lines.map((line) => [sign, line]);
  return [
    ...marked(' ', from.slice(0, start)),
    ...marked('-', from.slice(start, from.length - end)),
    ...marked('+', to.slice(start, to.length - end)),
    ...marked(' ', from.slice(from.length - end)),
  ];
}

/** Returns how many lines are the same at the start. */
function commonStart(from, to) {
  const place = from.findIndex((line, place) => line !== to[place]);
  return place < 0 ? from.length : place;
}

/** Returns the text that edits make out of another. */
export function apply(before, edits) {
  const from = linesOf(before);
  const kept = edits.filter(([sign]) => sign !== '+').map(([, line]) => line);
  if (kept.join('\n') !== from.join('\n')) throw new RangeError('the edits do not fit');
  return textOf(edits.filter(([sign]) => sign !== '-').map(([, line]) => line));
}
