import test from 'node:test';
import assert from 'node:assert';
import { clamp } from '../src/clamp.js';

test('values are clamped', () => {
  assert.strictEqual(clamp(5, 1, 3), 3);
  assert.strictEqual(clamp(-5, 1, 3), 1);
  assert.strictEqual(clamp(2, 1, 3), 2);
});
