/** Returns how many bits of a 32-bit number are set. */
export function bitCount(value: number): number {
  throw new Error("not written yet");
}

/** Returns in how many bits two 32-bit numbers differ. */
export function distance(left: number, right: number): number {
  return bitCount(left ^ right);
}
