'use strict';

const { split } = require('./split.js');

/** Prints the parts of an amount, one a line. */
function print(amount, parts) {
  for (const part of split(amount, parts)) process.stdout.write(`${(part / 100).toFixed(2)}\n`);
}

module.exports = { print };
