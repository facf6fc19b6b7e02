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
  order.state = TRANSITIONS[order.state][event].to;
  return order;
}

/** Returns the events that are possible now. */
function possible(order) {
  return Object.keys(TRANSITIONS[order.state]);
}

module.exports = { OrderError, begin, move, possible };
