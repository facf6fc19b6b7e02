/** Returns the mean, or `undefined` if there are no values. */
export function mean(values: readonly number[]): number | undefined {
  if (values.length === 0) {
    return undefined;
  }
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Returns the value in the middle, or `undefined` if there are no values. */
export function median(values: readonly number[]): number | undefined {
  const sorted = [...values].sort();
  const half = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[half] : mean(sorted.slice(half - 1, half + 1));
}
