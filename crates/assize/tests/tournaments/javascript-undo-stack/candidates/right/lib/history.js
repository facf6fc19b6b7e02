'use strict';

/** Remembers what was done, so that it can be undone. */
class History {
  constructor({ limit = Infinity } = {}) {
    this.limit = limit;
    this.done = [];
    this.undone = [];
    this.open = undefined;
  }

  /** Does a step: an object with `redo` and `undo`. */
  do(step) {
    step.redo();
    if (this.open) this.open.push(step);
    else this.#keep(step);
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
    if (this.open) return action();
    const steps = (this.open = []);
    const undo = () => steps.toReversed().forEach((step) => step.undo());
    try {
      action();
    } catch (error) {
      undo();
      throw error;
    } finally {
      this.open = undefined;
    }
    if (steps.length > 0) this.#keep({ redo: () => steps.forEach((step) => step.redo()), undo });
  }

  #keep(step) {
    this.done.push(step);
    if (this.done.length > this.limit) this.done.shift();
    this.undone = [];
  }
}

module.exports = { History };
