import { clamp } from './clamp.js';

/** Returns what a reader sees of a list on one of its pages. */
export function pages(total, size, current) {
  if (!Number.isInteger(total) || total < 0 || !Number.isInteger(size) || size < 1) {
    throw new RangeError(`no pages of ${size} in ${total}`);
  }
  const count = Math.max(Math.ceil(total / size), 1);
  const page = clamp(current, 1, count);
  return {
    first: Math.min((page - 1) * size + 1, total),
    last: Math.min(page * size, total),
    count,
    links: links(count, page),
  };
}

function links(count, page) {
  const shown = [];
  for (const link of new Set([1, page - 1, page, page + 1, count])) {
    if (link < 1 || link > count) continue;
    const gap = link - (shown.at(-1) ?? 0) - 1;
    if (gap === 1) shown.push(link - 1);
    if (gap > 1) shown.push(null);
    shown.push(link);
  }
  return shown;
}
