'use strict';

/** Allows a number of calls per second. */
class Bucket {
  constructor({ rate, room, now = Date.now }) {
    this.rate = rate;
    this.room = room;
    this.now = now;
    this.tokens = room;
    this.seen = now();
  }

  /** Takes tokens, if there are enough of them. */
  take(count = 1) {
    this.fill(count);
    if (this.tokens < count) return false;
    this.tokens -= count;
    return true;
  }

  /** Returns in how many milliseconds there will be enough tokens. */
  wait(count = 1) {
    this.fill(count);
    if (count > this.room) return Infinity;
    const start = this.seen;
    while (this.tokens < count) this.fill(count);
    return this.seen - start;
  }

  fill(count) {
    if (!Number.isInteger(count) || count < 1) throw new RangeError(`no count: ${count}`);
    const now = Math.max(this.now(), this.seen);
    const made = ((now - this.seen) * this.rate) / 1000;
    this.tokens = Math.min(this.tokens + made, this.room);
    this.seen = now;
  }
}

module.exports = { Bucket };
