/** Calls `operation` until it succeeds, at most `attempts` times. */
export async function retry<T>(
  operation: (attempt: number) => Promise<T>,
  attempts: number,
  pause: number,
): Promise<T> {
  if (attempts < 1) {
    throw new RangeError("at least one attempt is needed");
  }
  return new Promise<T>((resolve) => {
    const start = (attempt: number): void => {
      operation(attempt).then(resolve, () => {
        if (attempt < attempts) {
          setTimeout(() => start(attempt + 1), pause);
        }
      });
    };
    start(1);
  });
}
