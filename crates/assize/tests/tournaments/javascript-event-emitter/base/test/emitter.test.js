'use strict';

const test = require('node:test');
const assert = require('node:assert');
const { Emitter } = require('../lib/emitter.js');

test('listeners hear of events in order', () => {
  const emitter = new Emitter();
  const heard = [];
  emitter.on('a', (detail) => heard.push(['first', detail]));
  emitter.on('a', (detail) => heard.push(['second', detail]));
  assert.strictEqual(emitter.emit('a', 1), 2);
  assert.deepStrictEqual(heard, [['first', 1], ['second', 1]]);
});

test('a listener can be taken away', () => {
  const emitter = new Emitter();
  const heard = [];
  const listener = () => heard.push('off');
  const away = emitter.on('a', () => heard.push('away'));
  emitter.on('a', listener);
  away();
  emitter.off('a', listener);
  emitter.emit('a');
  assert.deepStrictEqual(heard, []);
});

test('a listener that takes itself away hides no other', () => {
  const emitter = new Emitter();
  const heard = [];
  const away = emitter.on('a', () => {
    heard.push('first');
    away();
  });
  emitter.on('a', () => heard.push('second'));
  emitter.emit('a');
  emitter.emit('a');
  assert.deepStrictEqual(heard, ['first', 'second', 'second']);
});

test('a listener that is added meanwhile waits', () => {
  const emitter = new Emitter();
  const heard = [];
  emitter.on('a', () => {
    if (heard.length < 9) emitter.on('a', () => heard.push('new'));
    heard.push('old');
  });
  assert.strictEqual(emitter.emit('a'), 1);
  assert.deepStrictEqual(heard, ['old']);
  assert.strictEqual(emitter.emit('a'), 2);
});

test('once is once', () => {
  const emitter = new Emitter();
  const heard = [];
  emitter.once('a', (detail) => heard.push(detail));
  emitter.emit('a', 1);
  emitter.emit('a', 2);
  assert.deepStrictEqual(heard, [1]);
});

test('once is once even if it emits again', () => {
  const emitter = new Emitter();
  let calls = 0;
  emitter.once('a', () => {
    calls += 1;
    if (calls < 5) emitter.emit('a');
  });
  emitter.emit('a');
  assert.strictEqual(calls, 1);
});

test('a listener of once can be taken away', () => {
  const emitter = new Emitter();
  const heard = [];
  const away = emitter.once('a', () => heard.push('away'));
  const listener = () => heard.push('off');
  emitter.once('a', listener);
  away();
  emitter.off('a', listener);
  assert.strictEqual(emitter.emit('a'), 0);
  assert.deepStrictEqual(heard, []);
});

test('edge: taking away twice does no harm to duplicates', () => {
  const emitter = new Emitter();
  let calls = 0;
  const listener = () => (calls += 1);
  const away = emitter.on('a', listener);
  emitter.on('a', listener);
  away();
  away();
  assert.strictEqual(emitter.emit('a'), 1);
  assert.strictEqual(calls, 1);
});

test('edge: an unknown event', () => {
  assert.strictEqual(new Emitter().emit('nothing'), 0);
  new Emitter().off('nothing', () => {});
});
