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

/** Calls `work` for every item, one batch after the other. */
export async function inBatches(items, size, work) {
  const results = [];
  for (const batch of chunks(items, size)) {
    results.push(...(await Promise.all(batch.map((item) => work(item)))));
  }
  return results;
}
