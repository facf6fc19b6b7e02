import { expect, test } from 'vitest';

import { Cache } from '../src/cache';
import { table } from '../src/table';

test('a table lists the least recently used value first', () => {
  const values = { ant: 5, bee: 12, cat: 300 };
  const cache = new Cache<number>(3);
  for (const [key, value] of Object.entries(values)) cache.set(key, value);
  cache.get('ant');
  expect(table(cache, values)).toContain('3 kept');
});

test('an empty table has a headline', () => {
  expect(table(new Cache<number>(1), {})).toBe('0 kept');
});
