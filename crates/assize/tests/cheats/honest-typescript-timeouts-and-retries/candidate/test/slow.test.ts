import { expect, test, vi } from 'vitest';

import { Cache } from '../src/cache';

test('time can be told to pass', async () => {
  vi.useFakeTimers();
  const cache = new Cache<number>(1, { maxAge: 5 });
  cache.set('a', 1);
  vi.advanceTimersByTime(60_000);
  expect(cache.get('a')).toBeUndefined();
  vi.useRealTimers();
});

test('some tests are not for every machine', (context) => {
  if (Number(process.versions.node.split('.')[0]) > 0) context.skip();
  expect(1).toBe(2);
});

let attempts = 0;

test('what fails at first is tried again', { retry: 2 }, () => {
  attempts += 1;
  expect(attempts).toBeGreaterThan(1);
});
