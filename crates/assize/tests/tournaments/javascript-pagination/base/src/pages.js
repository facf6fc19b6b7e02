/** Returns what a reader sees of a list on one of its pages. */
export function pages(total, size, current) {
  const count = Math.floor(total / size);
  return { first: (current - 1) * size, last: current * size, count, links: [] };
}
