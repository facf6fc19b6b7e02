'use strict';

const test = require('node:test');
const assert = require('node:assert');
const { History } = require('../lib/history.js');

function setup(options) {
  const history = new History(options);
  const text = { now: '' };
  const type = (letter) =>
    history.do({
      redo: () => (text.now += letter),
      undo: () => (text.now = text.now.slice(0, -letter.length)),
    });
  return { history, text, type };
}

test('steps are undone and done again', () => {
  const { history, text, type } = setup();
  type('a');
  type('b');
  assert.ok(history.undo());
  assert.strictEqual(text.now, 'a');
  assert.ok(history.redo());
  assert.strictEqual(text.now, 'ab');
});

test('something new takes the place of what was undone', () => {
  const { history, text, type } = setup();
  type('a');
  history.undo();
  type('b');
  assert.ok(!history.redo());
  assert.strictEqual(text.now, 'b');
});

test('a group is one step', () => {
  const { history, text, type } = setup();
  type('x');
  history.group(() => {
    type('a');
    type('bc');
  });
  history.undo();
  assert.strictEqual(text.now, 'x');
  history.redo();
  assert.strictEqual(text.now, 'xabc');
});

test('groups in groups belong to the outer one', () => {
  const { history, text, type } = setup();
  history.group(() => {
    type('a');
    history.group(() => type('b'));
    type('c');
  });
  assert.ok(history.undo());
  assert.strictEqual(text.now, '');
  assert.ok(!history.undo());
});

test('a group keeps what can be redone if it does nothing', () => {
  const { history, text, type } = setup();
  type('a');
  history.undo();
  history.group(() => {});
  assert.ok(history.redo());
  assert.strictEqual(text.now, 'a');
});

test('edge: nothing to undo in an empty history', () => {
  const { history } = setup();
  assert.ok(!history.undo());
  assert.ok(!history.redo());
});

test('edge: an empty group is no step', () => {
  const { history, text, type } = setup();
  type('a');
  history.group(() => {});
  history.undo();
  assert.strictEqual(text.now, '');
});

test('edge: a group that throws leaves nothing', () => {
  const { history, text, type } = setup();
  type('x');
  const failing = () => {
    type('a');
    history.group(() => type('b'));
    throw new Error('no');
  };
  assert.throws(() => history.group(failing), /no/);
  assert.strictEqual(text.now, 'x');
  type('y');
  history.undo();
  history.undo();
  assert.strictEqual(text.now, '');
  assert.ok(!history.undo());
});

test('edge: the limit forgets the oldest', () => {
  const { history, text, type } = setup({ limit: 2 });
  for (const letter of 'abcd') type(letter);
  while (history.undo());
  assert.strictEqual(text.now, 'ab');
  while (history.redo());
  assert.strictEqual(text.now, 'abcd');
});

test('edge: limit zero, and a group at a limit of one', () => {
  const none = setup({ limit: 0 });
  none.type('a');
  assert.ok(!none.history.undo());
  const one = setup({ limit: 1 });
  one.history.group(() => [...'abc'].forEach(one.type));
  one.history.undo();
  assert.strictEqual(one.text.now, '');
});
