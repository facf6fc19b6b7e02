// Runs in every file of tests, before it: at its end what must fail has to fail.
import { createRequire } from 'node:module';
import { isMainThread } from 'node:worker_threads';

import { afterAll, beforeEach, chai, expect } from 'vitest';

const require = createRequire(import.meta.url);
const { HELD, LIKE, MATCHERS, ask, lock, replace, stranger, mutations } = require('./mutations.cjs');

// A thread of tests is watched from within: its process turns, whatever the thread does.
if (!isMainThread) require('./watch.cjs').guard();

const { prototype } = chai.Assertion;

/** Has a matcher asked with mutations of what is expected. */
function confirm(name, make) {
  if (Object.getOwnPropertyDescriptor(prototype, name)?.configurable !== true) return;
  const { flag } = chai.util;
  replace(prototype, name, (original) => function confirmed(expected, ...rest) {
    if (flag(this, 'negate') || arguments.length === 0) return Reflect.apply(original, this, arguments);
    const actual = flag(this, 'object');
    let result;
    const compare = (value) => {
      if (value === expected) result = Reflect.apply(original, this, [value, ...rest]);
      else Reflect.apply(original, new chai.Assertion(actual), [value, ...rest]);
    };
    ask(actual, expected, compare, (item) => make(item, actual));
    return result;
  });
}

for (const name of LIKE) confirm(name, mutations);
for (const name of HELD) confirm(name, (item, actual) => [stranger(typeof actual === 'string' ? '' : item)]);
lock(prototype, [...MATCHERS, 'assert', 'equal', 'equals', 'eql', 'eqls']);

const pulse = process[Symbol.for('assize.pulse')];

// Whether a test must fail, and whether it did, is nothing that the code under test has a say in.
beforeEach(({ task }) => {
  pulse?.(true);
  const fixed = (holder, name, writable) => {
    const property = Object.getOwnPropertyDescriptor(holder, name);
    if (property?.configurable) Object.defineProperty(holder, name, { ...property, writable, configurable: false });
  };
  if (!Object.hasOwn(task, 'fails')) task.fails = undefined;
  fixed(task, 'fails', false);
  if (typeof task.result === 'object') fixed(task.result, 'state', true);
});

/** Whether the results of tests are plain: nothing but the runner answers for them. */
function isPlain(task) {
  if (Array.isArray(task?.tasks)) return task.tasks.every(isPlain);
  const { result } = task ?? {};
  if (result === undefined) return true;
  const state = Object.getOwnPropertyDescriptor(result, 'state');
  return state === undefined || 'value' in state && state.writable && Object.getPrototypeOf(result) === Object.prototype;
}

const wrong = {
  toBe: () => expect(1).toBe(2),
  toEqual: () => expect({ a: [1] }).toEqual({ a: [2] }),
  toStrictEqual: () => expect({ a: [1] }).toStrictEqual({ a: [2] }),
  toThrow: () => expect(() => 1).toThrow(),
  not: () => expect(1).not.toBe(1),
  toBeTruthy: () => expect(0).toBeTruthy(),
};
const { is } = Object;

function blunt() {
  return Object.keys(wrong).filter((name) => {
    try {
      wrong[name]();
      return true;
    } catch {
      return false;
    }
  });
}

const given = globalThis.expect;

// vitest reads the names of parameters off their text: since 4.1 the first one has to be an object of fixtures, and the suite comes second.
afterAll(function end() {
  pulse?.(false);
  const suite = arguments[arguments.length - 1];
  const changed = blunt();
  if (!isPlain(suite)) changed.push('the result of a test');
  if (globalThis.expect !== given) changed.push('the global `expect`');
  if (Object.is !== is) changed.push('Object.is');
  if (changed.length > 0) throw new Error(`the code under test changed ${changed.join(', ')}`);
});
