'use strict';

/** An amount of money that does not change. */
class Amount {
  #cents;

  constructor(cents) {
    if (!Number.isInteger(cents)) throw new RangeError(`${cents} cents`);
    this.#cents = cents;
  }

  plus(other) {
    return new Amount(this.#cents + other.valueOf());
  }

  valueOf() {
    return this.#cents;
  }

  toString() {
    return (this.#cents / 100).toFixed(2);
  }
}

module.exports = { Amount };
