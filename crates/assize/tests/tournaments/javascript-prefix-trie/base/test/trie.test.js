import test from 'node:test';
import assert from 'node:assert';
import { Trie } from '../src/trie.js';

function trie(...words) {
  const made = new Trie();
  for (const word of words) made.add(word);
  return made;
}

test('words are found', () => {
  const words = trie('car', 'card');
  assert.ok(words.has('car') && words.has('card'));
  assert.ok(!words.has('ca') && !words.has('cars'));
});

test('nodes are shared', () => {
  assert.strictEqual(trie('car', 'card', 'cat').nodes, 6);
});

test('words are removed', () => {
  const words = trie('car', 'card', 'cat');
  assert.ok(words.remove('car'));
  assert.ok(!words.has('car'));
  assert.ok(words.has('card'));
  assert.ok(!words.remove('car'));
  assert.ok(!words.remove('c'));
});

test('no dead branches are left', () => {
  const words = trie('car', 'carpet', 'cat');
  words.remove('carpet');
  assert.strictEqual(words.nodes, 5);
  words.remove('car');
  assert.strictEqual(words.nodes, 4);
  words.remove('cat');
  assert.strictEqual(words.nodes, 1);
});

test('words are completed, the frequent ones first', () => {
  const words = trie('car', 'card', 'cat', 'dog', 'cat');
  assert.deepStrictEqual(words.complete('ca'), ['cat', 'car', 'card']);
  assert.deepStrictEqual(words.complete('car'), ['car', 'card']);
  assert.deepStrictEqual(words.complete('x'), []);
});

test('a removed word loses its frequency', () => {
  const words = trie('b', 'b', 'a');
  words.remove('b');
  words.add('b');
  assert.deepStrictEqual(words.complete(''), ['a', 'b']);
});

test('edge: at the limit', () => {
  const words = trie(...'lkjihgfedcba');
  assert.strictEqual(words.complete('').length, 10);
  assert.deepStrictEqual(words.complete('', 2), ['a', 'b']);
  assert.deepStrictEqual(words.complete('', 0), []);
});

test('edge: the empty word', () => {
  const words = trie('', 'a');
  assert.deepStrictEqual(words.complete(''), ['', 'a']);
  assert.ok(words.remove(''));
  assert.ok(!words.has(''));
  assert.strictEqual(words.nodes, 2);
});

test('edge: unicode', () => {
  const words = trie('🙂a', '🙂', '🙃', '\uffee');
  assert.deepStrictEqual(words.complete('🙂'), ['🙂', '🙂a']);
  assert.deepStrictEqual(words.complete(''), ['\uffee', '🙂', '🙂a', '🙃']);
});

test('edge: a huge word', () => {
  const words = trie('a'.repeat(20000));
  assert.strictEqual(words.complete('a')[0].length, 20000);
  assert.ok(words.remove('a'.repeat(20000)));
  assert.strictEqual(words.nodes, 1);
});
