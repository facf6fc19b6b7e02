/** Returns the items by their key. */
export function groupBy<T>(items: readonly T[], key: (item: T) => string): Record<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const name = key(item);
    const group = groups.get(name);
    if (group === undefined) {
      groups.set(name, [item]);
    } else {
      group.push(item);
    }
  }
  return Object.fromEntries(groups);
}
