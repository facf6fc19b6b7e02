import type { Cache } from './cache';

/** Shows what a cache holds, the least recently used value first, without using any. */
export function table(cache: Cache<number>, values: Record<string, number>): string {
  const rows = cache.keys().map((key, at) => `${at + 1}. ${key.padEnd(6)} ${String(values[key]).padStart(4)} ms`);
  return [`${cache.size} kept`, ...rows].join('\n');
}
