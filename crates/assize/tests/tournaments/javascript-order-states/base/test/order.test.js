'use strict';

const test = require('node:test');
const assert = require('node:assert');
const { OrderError, begin, move, possible } = require('../lib/order.js');

const ITEMS = [{ name: 'pen', price: 3 }, { name: 'ink', price: 7 }];

test('an order begins as a draft', () => {
  assert.strictEqual(begin().state, 'draft');
});

test('an order moves on', () => {
  assert.strictEqual(move(begin(ITEMS), 'submit').state, 'open');
  assert.strictEqual(move(begin(), 'discard').state, 'gone');
});

test('the order that is passed in stays', () => {
  const order = Object.freeze({ ...begin(ITEMS), history: Object.freeze([]) });
  const moved = move(order, 'submit');
  assert.deepStrictEqual([order.state, moved.state], ['draft', 'open']);
});

test('the history grows', () => {
  let order = begin(ITEMS);
  for (const event of ['submit', 'cancel']) order = move(order, event);
  assert.deepStrictEqual(order.history, [
    { from: 'draft', to: 'open', event: 'submit' },
    { from: 'open', to: 'gone', event: 'cancel' },
  ]);
});

test('guards are asked', () => {
  const order = move(begin(ITEMS), 'submit');
  assert.throws(() => move({ ...order, balance: 9 }, 'pay'), OrderError);
  assert.strictEqual(move({ ...order, balance: 10 }, 'pay').state, 'paid');
});

test('what is possible', () => {
  const order = move(begin(ITEMS), 'submit');
  assert.deepStrictEqual(possible(order), ['cancel']);
  assert.deepStrictEqual(possible({ ...order, balance: 10 }), ['cancel', 'pay']);
  assert.deepStrictEqual(possible(begin(ITEMS)), ['discard', 'submit']);
});

test('edge: an empty order is not submitted', () => {
  assert.throws(() => move(begin(), 'submit'), OrderError);
  assert.deepStrictEqual(possible(begin()), ['discard']);
});

test('edge: an error says what and when', () => {
  assert.throws(() => move(begin(), 'ship'), { name: 'OrderError', state: 'draft', event: 'ship' });
});

test('edge: unknown events and states', () => {
  for (const event of ['constructor', '__proto__', 'toString', '']) {
    assert.throws(() => move(begin(ITEMS), event), OrderError);
  }
  assert.throws(() => move({ ...begin(), state: 'valueOf' }, 'name'), OrderError);
});

test('edge: none is possible at the limit of its life', () => {
  assert.deepStrictEqual(possible(move(begin(), 'discard')), []);
});
