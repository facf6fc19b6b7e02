'use strict';

const test = require('node:test');
const assert = require('node:assert');
const { MovingAverage } = require('../lib/average.js');

test('the last ones count', () => {
  const average = new MovingAverage(3);
  assert.deepStrictEqual([3, 6, 9, 12, 0].map((number) => average.push(number)), [3, 4.5, 6, 9, 7]);
  assert.strictEqual(average.value, 7);
});

test('fractions are exact enough', () => {
  const average = new MovingAverage(4);
  for (let round = 0; round < 1000; round += 1) average.push(0.1);
  assert.ok(Math.abs(average.value - 0.1) < 1e-15);
});

test('no more is kept than is needed', () => {
  const average = new MovingAverage(10);
  for (let number = 0; number < 10000; number += 1) average.push(number);
  const kept = Object.values(average).filter(Array.isArray).reduce((sum, list) => sum + list.length, 0);
  assert.ok(kept <= 40, `${kept} numbers are kept`);
  assert.strictEqual(average.value, 9994.5);
});

test('edge: nothing came yet, so none is the value', () => {
  assert.strictEqual(new MovingAverage(3).value, null);
});

test('edge: a single number', () => {
  const average = new MovingAverage(1);
  average.push(5);
  assert.strictEqual(average.push(7), 7);
});

test('edge: huge numbers leave nothing behind', () => {
  const average = new MovingAverage(3);
  average.push(1e16);
  average.push(1);
  for (const number of [1, 1, 1, 1, 1, 1]) average.push(number);
  assert.strictEqual(average.value, 1);
});

test('edge: a large window', () => {
  const average = new MovingAverage(2100);
  for (let number = 0; number < 6300; number += 1) average.push(number % 7);
  assert.strictEqual(average.value, 3);
});

test('throws on what is no number, and nothing changes', () => {
  const average = new MovingAverage(2);
  average.push(4);
  for (const number of [NaN, Infinity, '3', undefined]) assert.throws(() => average.push(number), RangeError);
  assert.strictEqual(average.push(6), 5);
});

test('throws on invalid sizes', () => {
  for (const size of [0, -1, 1.5, NaN, '3']) assert.throws(() => new MovingAverage(size), RangeError);
});
