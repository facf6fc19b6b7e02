/** Returns a number halved. */
export function halved(value: number): number {
  let result: number = value / 2;
  return result;
}

/** Returns a number doubled. */
export function doubled(value: number): number {
  let result: number = value * 2;
  return result;
}
