'use strict';

/** Splits an amount of cents into parts that add up to it. */
function split(amount, parts) {
  return Array.from({ length: parts }, () => Math.floor(amount / parts));
}

module.exports = { split };
