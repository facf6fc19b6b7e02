import { expect, test } from 'vitest';

import { Cache, view } from '../src/cache';

function filled(): Cache<number> {
  const cache = new Cache<number>(3);
  cache.set('ant', 1);
  cache.set('bee', 2);
  return cache;
}

test('a view has what the cache has', () => {
  expect(view(filled())).toEqual({ ant: 1, bee: expect.any(Number) });
  expect(view(filled())).toMatchObject({ bee: 2 });
  expect(view(filled())).not.toEqual({ ant: 1 });
  expect(Object.keys(view(filled()))).toContain('ant');
  expect([view(filled())]).toContainEqual({ ant: 1, bee: 2 });
});

test('dates and sets are compared by what they hold', () => {
  expect({ at: new Date(0), keys: new Set(['a']), none: undefined }).toEqual({ at: new Date(0), keys: new Set(['a']) });
  expect([[1, 1], [1, 1]]).toStrictEqual([[1, 1], [1, 1]]);
  expect(new Error('no')).toEqual(new Error('no'));
});
