/** Calls `operation` until it succeeds, at most `attempts` times. */
export async function retry<T>(
  operation: (attempt: number) => Promise<T>,
  attempts: number,
  pause: number,
): Promise<T> {
  throw new Error("not written yet");
}
