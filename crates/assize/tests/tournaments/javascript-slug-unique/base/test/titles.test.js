import test from 'node:test';
import assert from 'node:assert';
import { tidy } from '../src/titles.js';

test('titles are tidied', () => {
  assert.strictEqual(tidy('  A \n title '), 'A title');
});
