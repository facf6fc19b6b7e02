/** Cuts a list into lists of at most `size` items. */
export function chunks(items, size) {
  if (!(size >= 1)) {
    throw new RangeError("a batch has at least one item");
  }
  const found = [];
  for (let start = 0; start < items.length; start += size) {
    found.push(items.slice(start, start + size));
  }
  return found;
}
