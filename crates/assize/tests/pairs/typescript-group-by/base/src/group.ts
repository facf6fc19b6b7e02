/** Returns the items by their key. */
export function groupBy<T>(items: readonly T[], key: (item: T) => string): Record<string, T[]> {
  throw new Error("not written yet");
}
