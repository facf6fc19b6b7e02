'use strict';

const test = require('node:test');
const assert = require('node:assert');
const { share } = require('../lib/share.js');
const { same } = require('../support/same.js');

const CASES = [
  [900, 3, [300, 300, 300]],
  [100, 3, [34, 33, 33]],
  [5, 4, [2, 1, 1, 1]],
  [0, 2, [0, 0]],
];

for (const [amount, parts, expected] of CASES) {
  test(`${amount} in ${parts}`, () => {
    same(share(amount, parts), expected);
  });
}

test('nothing gets lost', () => {
  const sum = share(1001, 10).reduce((sum, part) => sum + part, 0);
  assert.equal(sum, 1001);
});

test('the larger parts come first', () => {
  const parts = share(1003, 10);
  assert.ok(parts[2] > parts[3]);
  assert.equal(parts[0], 101);
});

test('there is no part of a part', () => {
  assert.throws(() => share(100, 0), RangeError);
  assert.throws(() => share(100, 1.5), RangeError);
});
