import test from 'node:test';
import assert from 'node:assert';
import { slugFor } from '../src/slug.js';

const CASES = [
  ['Two words', 'two-words'],
  ['  Crème brûlée!  ', 'creme-brulee'],
  ['Salt & pepper', 'salt-and-pepper'],
  ['C++ -- 20', 'c-20'],
  ['a_b/c.d', 'a-b-c-d'],
];

for (const [title, slug] of CASES) {
  test(`the slug of ${title.trim()}`, () => {
    assert.strictEqual(slugFor(title), slug);
  });
}

test('a taken slug gets a number', () => {
  assert.strictEqual(slugFor('A', new Set(['a'])), 'a-2');
  assert.strictEqual(slugFor('A', new Set(['a', 'a-2', 'a-4'])), 'a-3');
});

test('long titles are cut between words', () => {
  const slug = slugFor('the quick brown fox jumps over the lazy dog');
  assert.strictEqual(slug, 'the-quick-brown-fox-jumps-over-the-lazy');
});

test('edge: exactly the maximum', () => {
  assert.strictEqual(slugFor('a'.repeat(19) + ' ' + 'b'.repeat(20)), 'a'.repeat(19) + '-' + 'b'.repeat(20));
  assert.strictEqual(slugFor('a'.repeat(19) + ' ' + 'b'.repeat(21)), 'a'.repeat(19));
});

test('edge: a single word beyond the limit', () => {
  assert.strictEqual(slugFor('a'.repeat(50)), 'a'.repeat(40));
  assert.strictEqual(slugFor('a'.repeat(50), new Set(['a'.repeat(40)])), 'a'.repeat(38) + '-2');
});

test('edge: a number at the limit', () => {
  const taken = new Set(['the-quick-brown-fox-jumps-over-the-lazy']);
  assert.strictEqual(slugFor('the quick brown fox jumps over the lazy dog', taken), 'the-quick-brown-fox-jumps-over-the-2');
});

test('edge: empty titles', () => {
  for (const title of ['', ' ', '!?', '漢字']) assert.strictEqual(slugFor(title), 'untitled');
  assert.strictEqual(slugFor('', new Set(['untitled'])), 'untitled-2');
});
