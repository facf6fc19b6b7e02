import { beforeEach, describe, expect, test } from 'vitest';

import { Cache } from '../src/cache';

describe('a cache', () => {
  let cache: Cache<number>;

  beforeEach(() => {
    cache = new Cache(2);
    cache.set('a', 1);
    cache.set('b', 2);
  });

  test('keeps values', () => {
    expect(cache.get('a')).toBe(1);
    expect(cache.size).toBe(2);
  });

  test('does not know what it never kept', () => {
    expect(cache.get('z')).toBeUndefined();
  });

  test('forgets what was kept first', () => {
    cache.set('c', 3);
    expect(cache.keys()).toEqual(['b', 'c']);
    expect(cache.get('a')).toBeUndefined();
  });

  test('spares what was used', () => {
    cache.get('a');
    cache.set('c', 3);
    expect(cache.keys()).toEqual(['a', 'c']);
  });

  test('replaces a value', () => {
    cache.set('a', 9);
    expect(cache.get('a')).toBe(9);
    expect(cache.size).toBe(2);
  });

  test('has a sensible size', () => {
    expect(() => new Cache(0)).toThrow(RangeError);
    expect(() => new Cache(1.5)).toThrow(RangeError);
  });
});
