'use strict';

/** Splits an amount of cents into parts that add up to it; the larger ones come first. */
function split(amount, parts) {
  if (!Number.isInteger(parts) || parts < 1) throw new RangeError(`${parts} parts`);
  const part = Math.floor(amount / parts);
  const rest = amount % parts;
  return Array.from({ length: parts }, (_, at) => (at < rest ? part + 1 : part));
}

module.exports = { split };
