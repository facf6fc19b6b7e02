import test from 'node:test';
import assert from 'node:assert';
import { Stock } from '../src/stock.js';

function filled() {
  const stock = new Stock();
  stock.add('pen', 5);
  stock.add('ink', 2);
  return stock;
}

test('articles are added', () => {
  const stock = filled();
  stock.add('pen', 1);
  assert.strictEqual(stock.onHand('pen'), 6);
  assert.strictEqual(stock.available('pen'), 6);
});

test('edge: unknown articles', () => {
  assert.strictEqual(filled().onHand('cup'), 0);
});

test('what is reserved is not available', () => {
  const stock = filled();
  assert.strictEqual(stock.reserve([{ sku: 'pen', count: 3 }]), 'r1');
  assert.strictEqual(stock.available('pen'), 2);
  assert.strictEqual(stock.onHand('pen'), 5);
});

test('all or nothing', () => {
  const stock = filled();
  const lines = [{ sku: 'pen', count: 3 }, { sku: 'ink', count: 4 }, { sku: 'cup', count: 1 }];
  assert.throws(() => stock.reserve(lines), { name: 'ShortError', missing: { ink: 2, cup: 1 } });
  assert.strictEqual(stock.available('pen'), 5);
  assert.strictEqual(stock.reserve([{ sku: 'ink', count: 2 }]), 'r1');
});

test('lines of the same article add up', () => {
  const stock = filled();
  const lines = [{ sku: 'pen', count: 3 }, { sku: 'pen', count: 3 }];
  assert.throws(() => stock.reserve(lines), { missing: { pen: 1 } });
  stock.reserve([{ sku: 'pen', count: 2 }, { sku: 'pen', count: 3 }]);
  assert.strictEqual(stock.available('pen'), 0);
});

test('what is released is available again', () => {
  const stock = filled();
  const id = stock.reserve([{ sku: 'pen', count: 5 }]);
  stock.release(id);
  assert.strictEqual(stock.available('pen'), 5);
  assert.strictEqual(stock.reserve([{ sku: 'pen', count: 5 }]), 'r2');
});

test('what is shipped is gone', () => {
  const stock = filled();
  const id = stock.reserve([{ sku: 'pen', count: 2 }, { sku: 'pen', count: 1 }]);
  stock.ship(id);
  assert.deepStrictEqual([stock.onHand('pen'), stock.available('pen')], [2, 2]);
});

test('edge: an id works a single time', () => {
  const stock = filled();
  const id = stock.reserve([{ sku: 'pen', count: 2 }]);
  stock.ship(id);
  assert.throws(() => stock.ship(id), RangeError);
  assert.throws(() => stock.release(id), RangeError);
  assert.throws(() => stock.release('r9'), RangeError);
  assert.strictEqual(stock.available('pen'), 3);
});

test('edge: invalid counts and empty lists', () => {
  const stock = filled();
  for (const count of [0, -1, 1.5, '2', NaN]) {
    assert.throws(() => stock.reserve([{ sku: 'pen', count: 1 }, { sku: 'pen', count }]), RangeError);
  }
  assert.throws(() => stock.reserve([]), RangeError);
  assert.strictEqual(stock.available('pen'), 5);
});

test('edge: a list that is changed later does not raise the reservation', () => {
  const stock = filled();
  const lines = [{ sku: 'pen', count: 2 }];
  const id = stock.reserve(lines);
  lines[0].count = 1;
  stock.release(id);
  assert.strictEqual(stock.available('pen'), 5);
});
