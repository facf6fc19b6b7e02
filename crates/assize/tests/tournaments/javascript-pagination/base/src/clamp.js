/** Returns the value within the bounds that is nearest. */
export function clamp(value, low, high) {
  return Math.min(Math.max(value, low), high);
}
