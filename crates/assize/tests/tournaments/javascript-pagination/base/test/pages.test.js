import test from 'node:test';
import assert from 'node:assert';
import { pages } from '../src/pages.js';

test('the items of a page', () => {
  const { first, last, count } = pages(25, 10, 2);
  assert.deepStrictEqual([first, last, count], [11, 20, 3]);
});

test('the last page may be short', () => {
  const { first, last } = pages(25, 10, 3);
  assert.deepStrictEqual([first, last], [21, 25]);
});

test('a page that has begun is a page', () => {
  assert.strictEqual(pages(30, 10, 1).count, 3);
  assert.strictEqual(pages(31, 10, 1).count, 4);
});

const LINKS = [
  [10, 1, [1, 2, null, 10]],
  [10, 5, [1, null, 4, 5, 6, null, 10]],
  [10, 10, [1, null, 9, 10]],
  [10, 4, [1, 2, 3, 4, 5, null, 10]],
  [10, 7, [1, null, 6, 7, 8, 9, 10]],
  [5, 3, [1, 2, 3, 4, 5]],
  [3, 1, [1, 2, 3]],
];

for (const [count, current, links] of LINKS) {
  test(`links of page ${current} of ${count}`, () => {
    assert.deepStrictEqual(pages(count * 10, 10, current).links, links);
  });
}

test('edge: a current page outside of the list', () => {
  assert.deepStrictEqual(pages(25, 10, 99), pages(25, 10, 3));
  assert.deepStrictEqual(pages(25, 10, 0), pages(25, 10, 1));
});

test('edge: an empty list has a single page', () => {
  assert.deepStrictEqual(pages(0, 10, 1), { first: 0, last: 0, count: 1, links: [1] });
});

test('edge: a single item', () => {
  assert.deepStrictEqual(pages(1, 10, 1), { first: 1, last: 1, count: 1, links: [1] });
});

test('throws on invalid numbers', () => {
  for (const [total, size] of [[10, 0], [10, 1.5], [-1, 10], [NaN, 10], ['10', 10]]) {
    assert.throws(() => pages(total, size, 1), RangeError);
  }
});
