'use strict';

/** A clock that stands still until it is told to go on. */
class Clock {
  constructor() {
    this.now = 0;
    this.timers = new Map();
    this.next = 1;
    this.set = (action, milliseconds) => {
      this.timers.set(this.next, { action, due: this.now + milliseconds });
      return this.next++;
    };
    this.clear = (id) => {
      this.timers.delete(id);
    };
  }

  go(milliseconds) {
    const end = this.now + milliseconds;
    for (;;) {
      const due = [...this.timers].filter(([, timer]) => timer.due <= end);
      if (due.length === 0) break;
      due.sort(([id, a], [other, b]) => a.due - b.due || id - other);
      const [id, timer] = due[0];
      this.timers.delete(id);
      this.now = timer.due;
      timer.action();
    }
    this.now = end;
  }
}

module.exports = { Clock };
