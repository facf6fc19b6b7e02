'use strict';

/** The average of the numbers that came last. */
class MovingAverage {
  constructor(size) {
    if (!Number.isInteger(size) || size < 1) throw new RangeError(`no size: ${size}`);
    this.size = size;
    this.numbers = [];
    this.next = 0;
    this.sum = 0;
  }

  /** Takes in a number and returns the average. */
  push(number) {
    if (!Number.isFinite(number)) throw new RangeError(`no number: ${number}`);
    this.sum += number - (this.numbers[this.next] ?? 0);
    this.numbers[this.next] = number;
    this.next = (this.next + 1) % this.size;
    return this.value;
  }

  /** The average, or null. */
  get value() {
    return this.numbers.length > 0 ? this.sum / this.numbers.length : null;
  }
}

module.exports = { MovingAverage };
