'use strict';

/** Splits an amount of cents into parts that add up to it; the first part takes what is left. */
function split(amount, parts) {
  const part = Math.floor(amount / parts);
  return Array.from({ length: parts }, (_, at) => (at === 0 ? amount - part * (parts - 1) : part));
}

module.exports = { split };
