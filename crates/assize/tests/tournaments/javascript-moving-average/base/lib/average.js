'use strict';

/** The average of the numbers that came last. */
class MovingAverage {
  constructor(size) {
    this.size = size;
    this.numbers = [];
  }

  /** Takes in a number and returns the average. */
  push(number) {
    this.numbers.push(number);
    return this.value;
  }

  /** The average, or null. */
  get value() {
    const last = this.numbers.slice(-this.size);
    return last.reduce((sum, one) => sum + one, 0) / last.length;
  }
}

module.exports = { MovingAverage };
