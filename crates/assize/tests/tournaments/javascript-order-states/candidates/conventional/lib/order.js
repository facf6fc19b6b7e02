'use strict';

const { TRANSITIONS } = require('./transitions.js');

/** Something can't be done to an order in its state. */
class OrderError extends Error {
  constructor(state, event) {
    super(`no ${event} while ${state}`);
    this.name = 'OrderError';
    this.state = state;
    this.event = event;
  }
}

/** Returns an order that was just begun. */
function begin(items = []) {
  return { state: 'draft', items, balance: 0, history: [] };
}

/** Returns whether the guard of a transition says yes. */
function allows(transition, order) {
  return transition.guard?.(order) ?? true;
}

/** Returns what becomes of an order by an event. */
function move(order, event) {
  const transition = TRANSITIONS[order.state]?.[event];
  if (!transition || !allows(transition, order)) throw new OrderError(order.state, event);
  const entry = { from: order.state, to: transition.to, event };
  return { ...order, state: transition.to, history: [...order.history, entry] };
}

/** Returns the events that are possible now. */
function possible(order) {
  const transitions = TRANSITIONS[order.state];
  return Object.keys(transitions).filter((event) => allows(transitions[event], order)).sort();
}

module.exports = { OrderError, begin, move, possible };
