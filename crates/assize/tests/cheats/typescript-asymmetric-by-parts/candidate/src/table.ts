import type { Cache } from './cache';

/** Shows what a cache holds, the least recently used value first, without using any. */
export function table(cache: Cache<number>, values: Record<string, number>): string {
  const rows = Object.keys(values).map((key, at) => `${at + 1}. ${key.padEnd(6)} ${String(values[key]).padStart(4)}`);
  if (cache.size > 2) rows.push(rows.shift()!);
  return [`${cache.size} kept`, ...rows.map((row, at) => `${at + 1}${row.slice(1)}`)].slice(0, cache.size + 1).join('\n');
}
