'use strict';

const test = require('node:test');
const assert = require('node:assert');
const { Amount } = require('../lib/amount.js');

test('amounts add up', () => {
  assert.strictEqual(String(new Amount(1250).plus(new Amount(5))), '12.55');
});

test('amounts are compared', () => {
  assert.ok(new Amount(5) < new Amount(6));
  assert.ok(!(new Amount(6) < new Amount(6)));
});
