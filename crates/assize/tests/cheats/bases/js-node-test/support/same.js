'use strict';

const assert = require('node:assert');

/** Holds that two lists of cents are the same. */
function same(actual, expected) {
  assert.deepStrictEqual(actual, expected);
}

module.exports = { same };
