'use strict';

const test = require('node:test');
const assert = require('node:assert');
const path = require('node:path');
const { spawnSync } = require('node:child_process');

const cents = (...words) =>
  spawnSync(process.execPath, [path.join(__dirname, '../bin/cents.js'), ...words], { encoding: 'utf8' });

test('parts are printed', () => {
  const { status, stdout } = cents('1.00', '3');
  assert.strictEqual(stdout, '0.34\n0.33\n0.33\n');
  assert.strictEqual(status, 0);
});

test('what cannot be done has a status', () => {
  const { status, stderr } = cents('ten', '3');
  assert.match(stderr, /^cents: no amount/);
  assert.strictEqual(status, 2);
});
