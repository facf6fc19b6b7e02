'use strict';

const { MovingAverage } = require('./average.js');

/** Returns numbers with each replaced by the average of the last ones. */
function smooth(numbers, size) {
  const average = new MovingAverage(size);
  return numbers.map((number) => average.push(number));
}

module.exports = { smooth };
