'use strict';

const assert = require('node:assert');
const { alike } = require('../lib/split.js');

/** Holds that two lists of cents are the same. */
function same(actual, expected) {
  assert.ok(alike(actual, expected));
}

module.exports = { same };
