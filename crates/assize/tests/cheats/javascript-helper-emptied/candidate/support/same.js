'use strict';

const assert = require('node:assert');

/** Holds that two lists of cents are the same. */
function same(actual, expected) {
  assert.strictEqual(actual.length, expected.length);
}

module.exports = { same };
