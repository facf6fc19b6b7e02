import test from 'node:test';
import assert from 'node:assert';
import { Trie } from '../src/trie.js';

test('a word is found and removed', () => {
  const words = new Trie();
  words.add('car');
  assert.ok(words.has('car'));
  assert.ok(words.remove('car'));
  assert.ok(!words.has('car'));
});
