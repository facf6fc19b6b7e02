'use strict';

const assert = require('node:assert');
const { split } = require('./split.js');

/** Shares an amount among people, by their names. */
function share(amount, names) {
  assert.ok(new Set(names).size === names.length, 'each name counts once');
  const parts = split(amount, names.length);
  return Object.fromEntries(names.map((name, at) => [name, parts[at]]));
}

module.exports = { share };
