import { TimeoutError } from "./errors.js";

/** How often to look, and how many times. */
export interface WaitOptions {
  interval?: number;
  looks?: number;
}

/** Waits until `condition` is true and returns how many looks that took. */
export function waitFor(condition: () => boolean, options: WaitOptions = {}): Promise<number> {
  const { interval = 10, looks = 100 } = options;
  return new Promise((resolve, reject) => {
    let count = 0;
    const timer = setInterval(() => {
      count += 1;
      try {
        if (condition()) {
          resolve(count);
        } else if (count >= looks) {
          throw new TimeoutError(`nothing after ${count} looks`);
        }
      } catch (error) {
        clearInterval(timer);
        reject(error);
      }
    }, interval);
  });
}
