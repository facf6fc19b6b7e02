'use strict';

const test = require('node:test');
const assert = require('node:assert');
const { parse, split } = require('../lib/index.js');

test('a bill is split', () => {
  assert.deepStrictEqual(split(parse('10.00'), 3), [334, 333, 333]);
});

test('parts differ by one cent at most', () => {
  for (let parts = 1; parts < 40; parts += 1) {
    const list = split(12345, parts);
    assert.ok(list[0] - list[parts - 1] <= 1, `${parts} parts`);
  }
});
