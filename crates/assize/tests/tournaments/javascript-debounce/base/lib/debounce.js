'use strict';

const CLOCK = { set: setTimeout, clear: clearTimeout };

/** Returns a function that calls `action` when it has not been called itself for `wait` milliseconds. */
function debounce(action, wait, { clock = CLOCK } = {}) {
  let timer;
  return (...details) => {
    clock.clear(timer);
    timer = clock.set(() => action(...details), wait);
  };
}

module.exports = { debounce };
