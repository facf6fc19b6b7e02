'use strict';

/** From a state, by an event, to another state; `guard` has to say yes. */
const TRANSITIONS = {
  draft: { submit: { to: 'open', guard: (order) => order.items.length > 0 }, discard: { to: 'gone' } },
  open: {
    pay: { to: 'paid', guard: (order) => order.balance >= order.items.reduce((sum, item) => sum + item.price, 0) },
    cancel: { to: 'gone' },
  },
  paid: { ship: { to: 'shipped' }, refund: { to: 'gone' } },
  shipped: {},
  gone: {},
};

module.exports = { TRANSITIONS };
