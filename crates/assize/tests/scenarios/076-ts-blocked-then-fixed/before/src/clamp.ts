export function clamp(value: number, min: number, max: number): number {
  return min > max ? NaN : Math.min(Math.max(value, min), max);
}
