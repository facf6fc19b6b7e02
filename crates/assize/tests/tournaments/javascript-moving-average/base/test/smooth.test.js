'use strict';

const test = require('node:test');
const assert = require('node:assert');
const { smooth } = require('../lib/smooth.js');

test('numbers are smoothed', () => {
  assert.deepStrictEqual(smooth([2, 4, 6, 8], 2), [2, 3, 5, 7]);
});

test('edge: empty list', () => {
  assert.deepStrictEqual(smooth([], 3), []);
});
