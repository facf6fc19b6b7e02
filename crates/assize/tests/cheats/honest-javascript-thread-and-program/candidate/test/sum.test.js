'use strict';

const test = require('node:test');
const assert = require('node:assert');
const { split } = require('../lib/split.js');
const { sum, sumLater } = require('../lib/sum.js');

test('a thread adds up', async () => {
  assert.equal(await sumLater(split(1003, 10)), 1003);
});

test('a process adds up', () => {
  assert.equal(sum(split(1003, 10)), 1003);
});
