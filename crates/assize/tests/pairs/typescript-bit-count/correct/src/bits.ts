/** Returns how many bits of a 32-bit number are set. */
export function bitCount(value: number): number {
  let count = 0;
  for (let left = value >>> 0; left !== 0; left >>>= 1) {
    count += left & 1;
  }
  return count;
}

/** Returns in how many bits two 32-bit numbers differ. */
export function distance(left: number, right: number): number {
  return bitCount(left ^ right);
}
