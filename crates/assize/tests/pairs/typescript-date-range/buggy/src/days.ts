const DAY = 24 * 60 * 60 * 1000;

/** Returns the days from `start` to `end` as ISO dates, both included. */
export function days(start: string, end: string): string[] {
  const last = Date.parse(end);
  const found: string[] = [];
  for (let day = Date.parse(start); day < last; day += DAY) {
    found.push(new Date(day).toISOString().slice(0, 10));
  }
  found.push(new Date(last).toISOString().slice(0, 10));
  return found;
}
