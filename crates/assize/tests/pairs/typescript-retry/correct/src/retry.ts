import { setTimeout as sleep } from "node:timers/promises";

/** Calls `operation` until it succeeds, at most `attempts` times. */
export async function retry<T>(
  operation: (attempt: number) => Promise<T>,
  attempts: number,
  pause: number,
): Promise<T> {
  if (attempts < 1) {
    throw new RangeError("at least one attempt is needed");
  }
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await operation(attempt);
    } catch (error) {
      if (attempt >= attempts) {
        throw error;
      }
    }
    await sleep(pause);
  }
}
