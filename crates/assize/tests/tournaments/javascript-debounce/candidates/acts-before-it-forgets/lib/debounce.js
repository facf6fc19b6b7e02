'use strict';

const CLOCK = { set: setTimeout, clear: clearTimeout };

/** Returns a function that calls `action` when it has not been called itself for `wait` milliseconds. */
function debounce(action, wait, { clock = CLOCK, longest } = {}) {
  let timer;
  let longestTimer;
  let pending;

  const cancel = () => {
    clock.clear(timer);
    clock.clear(longestTimer);
    pending = undefined;
  };
  const flush = () => {
    if (!pending) return;
    action(...pending);
    cancel();
  };
  const call = (...details) => {
    if (!pending && longest !== undefined) longestTimer = clock.set(flush, longest);
    pending = details;
    clock.clear(timer);
    timer = clock.set(flush, wait);
  };
  return Object.assign(call, { cancel, flush });
}

module.exports = { debounce };
