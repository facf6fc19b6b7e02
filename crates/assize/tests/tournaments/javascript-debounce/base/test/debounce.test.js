'use strict';

const test = require('node:test');
const assert = require('node:assert');
const { debounce } = require('../lib/debounce.js');
const { Clock } = require('../support/clock.js');

function setup(options = {}) {
  const clock = new Clock();
  const calls = [];
  const call = debounce((...details) => calls.push([clock.now, ...details]), 100, { clock, ...options });
  return { clock, calls, call };
}

test('it waits for quiet', () => {
  const { clock, calls, call } = setup();
  call('a');
  clock.go(99);
  call('b');
  clock.go(99);
  assert.deepStrictEqual(calls, []);
  clock.go(1);
  assert.deepStrictEqual(calls, [[199, 'b']]);
});

test('it can be called again', () => {
  const { clock, calls, call } = setup();
  call('a');
  clock.go(100);
  call('b');
  clock.go(100);
  assert.deepStrictEqual(calls, [[100, 'a'], [200, 'b']]);
});

test('a stream is answered at last', () => {
  const { clock, calls, call } = setup({ longest: 250 });
  for (let at = 0; at < 10; at += 1) {
    call(at);
    clock.go(60);
  }
  clock.go(1000);
  assert.deepStrictEqual(calls, [[250, 4], [550, 9]]);
});

test('flush does it now', () => {
  const { clock, calls, call } = setup();
  call('a');
  clock.go(10);
  call.flush();
  assert.deepStrictEqual(calls, [[10, 'a']]);
  clock.go(1000);
  assert.strictEqual(calls.length, 1);
});

test('cancel forgets the call', () => {
  const { clock, calls, call } = setup({ longest: 150 });
  call('a');
  clock.go(90);
  call.cancel();
  assert.strictEqual(clock.timers.size, 0);
  call('b');
  clock.go(90);
  call('c');
  clock.go(1000);
  assert.deepStrictEqual(calls, [[240, 'c']]);
});

test('the longest wait starts anew after a flush', () => {
  const { clock, calls, call } = setup({ longest: 150 });
  call('a');
  clock.go(90);
  call.flush();
  call('b');
  clock.go(90);
  call('c');
  clock.go(1000);
  assert.deepStrictEqual(calls, [[90, 'a'], [240, 'c']]);
});

test('edge: flush with nothing due, and after the limit', () => {
  const { clock, calls, call } = setup();
  call.flush();
  call('a');
  clock.go(100);
  call.flush();
  call.cancel();
  assert.deepStrictEqual(calls, [[100, 'a']]);
});

test('edge: no timer is left behind at the maximum', () => {
  const { clock, calls, call } = setup({ longest: 100 });
  call('a');
  clock.go(50);
  call('b');
  clock.go(50);
  assert.deepStrictEqual(calls, [[100, 'b']]);
  assert.strictEqual(clock.timers.size, 0);
});

test('edge: an action that throws is called a single time', () => {
  const clock = new Clock();
  let calls = 0;
  const call = debounce(() => {
    calls += 1;
    throw new Error('no');
  }, 100, { clock });
  call();
  assert.throws(() => clock.go(100));
  call.flush();
  assert.strictEqual(calls, 1);
});
