/** Returns the mean; that of no values is `NaN`. */
export function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
