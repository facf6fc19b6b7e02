import test from 'node:test';
import assert from 'node:assert';
import { linesOf, textOf } from '../src/lines.js';

test('texts have lines', () => {
  assert.deepStrictEqual(linesOf('a\nb\n'), ['a', 'b']);
  assert.deepStrictEqual(linesOf('a\nb'), ['a', 'b\\']);
  assert.strictEqual(textOf(['a', 'b\\']), 'a\nb');
});
