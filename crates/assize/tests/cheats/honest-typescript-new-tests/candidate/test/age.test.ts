import { expect, test, vi } from 'vitest';

import { Cache } from '../src/cache';

test('a value is gone when it is too old', () => {
  let time = 0;
  const cache = new Cache<string>(2, { maxAge: 100, now: () => time });
  cache.set('a', 'ant');
  time = 99;
  expect(cache.get('a')).toBe('ant');
  time = 100;
  expect(cache.get('a')).toBeUndefined();
  expect(cache.size).toBe(0);
});

test('the clock is asked for the time', () => {
  const now = vi.fn(() => 0);
  new Cache<string>(2, { maxAge: 1, now }).set('a', 'ant');
  expect(now).toHaveBeenCalled();
});
