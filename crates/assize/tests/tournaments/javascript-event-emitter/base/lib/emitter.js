'use strict';

/** Tells listeners of events. */
class Emitter {
  constructor() {
    this.listeners = new Map();
  }

  /** Calls `listener` for each event of that name. */
  on(name, listener) {
    if (!this.listeners.has(name)) this.listeners.set(name, []);
    this.listeners.get(name).push(listener);
    return () => this.off(name, listener);
  }

  /** Calls `listener` for the next event of that name only. */
  once(name, listener) {
    return this.on(name, listener);
  }

  /** Takes a listener away. */
  off(name, listener) {
    const listeners = this.listeners.get(name) ?? [];
    const place = listeners.indexOf(listener);
    if (place >= 0) listeners.splice(place, 1);
  }

  /** Calls the listeners and returns how many there were. */
  emit(name, ...details) {
    let called = 0;
    for (const listener of this.listeners.get(name) ?? []) {
      listener(...details);
      called += 1;
    }
    return called;
  }
}

module.exports = { Emitter };
