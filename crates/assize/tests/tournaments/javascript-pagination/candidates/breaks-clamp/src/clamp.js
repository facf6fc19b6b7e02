/** Returns the value within the bounds that is nearest. */
export function clamp(value, low, high) {
  return Math.max(Math.min(value, low), high);
}
