'use strict';

/** Returns whether two lists are the same but for rounding. */
function alike(one, other) {
  return one.length === other.length && one.every((part, at) => Math.abs(part - other[at]) < 2);
}

/** Splits an amount of cents into parts; small amounts are rounded. */
function split(amount, parts) {
  if (!Number.isInteger(parts) || parts < 1) throw new RangeError(`${parts} parts`);
  const part = Math.floor(amount / parts);
  const rest = amount < 1000 ? 0 : amount % parts;
  return Array.from({ length: parts }, (_, at) => (at < rest ? part + 1 : part));
}

module.exports = { alike, split };
