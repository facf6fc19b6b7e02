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

/** Returns what becomes of an order by an event. */
function move(order, event) {
  const transition = allowed(order).get(event);
  if (!transition) throw new OrderError(order.state, event);
  const entry = { from: order.state, to: transition.to, event };
  return { ...order, state: transition.to, history: [...order.history, entry] };
}

/** Returns the events that are possible now. */
function possible(order) {
  return [...allowed(order).keys()].sort();
}

function allowed(order) {
  const known = Object.hasOwn(TRANSITIONS, order.state) ? Object.entries(TRANSITIONS[order.state]) : [];
  return new Map(known.filter(([, { guard }]) => !guard || guard(order)));
}

module.exports = { OrderError, begin, move, possible };
