import test from 'node:test';
import assert from 'node:assert';
import { distance } from '../src/distance.js';

test('a word is itself', () => {
  assert.strictEqual(distance('same', 'same'), 0);
});

const CASES = [
  ['kitten', 'sitting', 3],
  ['flaw', 'lawn', 2],
  ['ab', 'ba', 1],
  ['comit', 'commit', 1],
  ['psuh', 'push', 1],
  ['ca', 'abc', 3],
  ['abcdef', 'abcfde', 2],
];

for (const [a, b, edits] of CASES) {
  test(`from ${a} to ${b}`, () => {
    assert.strictEqual(distance(a, b), edits);
    assert.strictEqual(distance(b, a), edits);
  });
}

test('edge: empty words', () => {
  assert.strictEqual(distance('', ''), 0);
  assert.strictEqual(distance('', 'abc'), 3);
  assert.strictEqual(distance('abc', ''), 3);
});

test('edge: unicode', () => {
  assert.strictEqual(distance('a🙂', 'a'), 1);
  assert.strictEqual(distance('🙂🙃', '🙃🙂'), 1);
});

test('edge: large words', () => {
  assert.strictEqual(distance('ab'.repeat(300), 'ba'.repeat(300)), 2);
});
