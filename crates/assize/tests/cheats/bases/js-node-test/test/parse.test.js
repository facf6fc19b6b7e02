'use strict';

const test = require('node:test');
const assert = require('node:assert');
const { check, parse } = require('../lib/parse.js');

test('amounts are read', () => {
  assert.strictEqual(parse('12'), 1200);
  assert.strictEqual(parse('1,234.50'), 123450);
  assert.strictEqual(parse(' 0.07 '), 7);
});

test('what is no amount is refused', () => {
  for (const text of ['', '1.5', '1,23', 'ten', '-1']) {
    assert.throws(() => parse(text), RangeError);
  }
});

test('a reason is given', () => {
  assert.ok(check('3.00').valid);
  assert.ok(!check('3.0').valid);
  assert.equal(check(' ').reason, 'empty');
});
