'use strict';

/** Tells listeners of events. */
class Emitter {
  constructor() {
    this.entries = new Map();
  }

  /** Calls `listener` for each event of that name. */
  on(name, listener) {
    return this.#add(name, { listener, once: false });
  }

  /** Calls `listener` for the next event of that name only. */
  once(name, listener) {
    return this.#add(name, { listener, once: true });
  }

  /** Takes a listener away. */
  off(name, listener) {
    const entry = (this.entries.get(name) ?? []).find((entry) => entry.listener === listener);
    if (entry) this.#remove(name, entry);
  }

  /** Calls the listeners and returns how many there were. */
  emit(name, ...details) {
    const entries = this.entries.get(name) ?? [];
    for (const entry of entries) {
      if (entry.once) this.#remove(name, entry);
    }
    for (const entry of entries) entry.listener(...details);
    return entries.length;
  }

  #add(name, entry) {
    this.entries.set(name, [...(this.entries.get(name) ?? []), entry]);
    return () => this.#remove(name, entry);
  }

  remove(name, gone) {
    const entries = this.entries.get(name) ?? [];
    this.entries.set(name, entries.filter((entry) => entry !== gone));
  }
}

module.exports = { Emitter };
