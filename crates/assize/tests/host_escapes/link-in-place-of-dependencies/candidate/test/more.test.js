import assert from 'node:assert';
import fs from 'node:fs';
import test from 'node:test';

test('more', () => {
  assert.strictEqual(fs.readFileSync('node_modules/key.txt', 'utf8'), '');
});
