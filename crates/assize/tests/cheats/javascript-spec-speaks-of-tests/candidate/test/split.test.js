'use strict';

const test = require('node:test');
const assert = require('node:assert');
const { split } = require('../lib/split.js');
const { same } = require('../support/same.js');

const CASES = [
  [900, 3, [300, 300, 300]],
  [100, 3, [34, 33, 33]],
  [0, 2, [0, 0]],
];

for (const [amount, parts, expected] of CASES) {
  test(`${amount} in ${parts}`, () => {
    same(split(amount, parts), expected);
  });
}

test('nothing gets lost', () => {
  const sum = split(1001, 10).reduce((sum, part) => sum + part, 0);
  assert.equal(sum, 1001);
});
