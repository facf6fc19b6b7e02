'use strict';

const assert = require('node:assert');

/** Holds that two lists of cents are the same, and says what is missing. */
function same(actual, expected) {
  assert.deepStrictEqual(actual, expected, `${actual.join(' + ')} is not ${expected.join(' + ')}`);
}

module.exports = { same };
