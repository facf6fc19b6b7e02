// Runs in every file of tests, before it: at its end what must fail has to fail.
'use strict';

// Older versions know neither this module nor names of modules that begin with `node:`.
const assert = require('assert');

function globals() {
  try {
    return require('@jest/globals');
  } catch {
    return globalThis;
  }
}
const { afterAll, beforeEach, expect } = globals();

const { HELD, LIKE, MATCHERS, ask, lock, replace, stranger, mutations } = require('./mutations.cjs');

const { matchers = {} } = globalThis[Symbol.for('$$jest-matchers-object')] ?? {};

/** Has a matcher asked with mutations of what is expected. */
function confirm(name, make) {
  if (Object.getOwnPropertyDescriptor(matchers, name)?.configurable !== true) return;
  replace(matchers, name, (original) => function confirmed(actual, expected, ...rest) {
    const compare = (value) => Reflect.apply(original, this, [actual, value, ...rest]);
    if (this?.isNot || arguments.length < 2) return Reflect.apply(original, this, arguments);
    return ask(actual, expected, compare, make);
  });
}

for (const name of LIKE) confirm(name, mutations);
for (const name of HELD) confirm(name, (item) => [stranger(item)]);
lock(matchers, MATCHERS);

const wrong = {
  toBe: (check) => check(1).toBe(2),
  toEqual: (check) => check({ a: [1] }).toEqual({ a: [2] }),
  toStrictEqual: (check) => check({ a: [1] }).toStrictEqual({ a: [2] }),
  toThrow: (check) => check(() => 1).toThrow(),
  not: (check) => check(1).not.toBe(1),
  toBeTruthy: (check) => check(0).toBeTruthy(),
};
const asserted = {
  equal: () => assert.equal(1, 2),
  strictEqual: () => assert.strictEqual(1, 2),
  deepStrictEqual: () => assert.deepStrictEqual({ a: [1] }, { a: [2] }),
  throws: () => assert.throws(() => 1),
};
const { is } = Object;
const given = global.expect;

function passes(check) {
  try {
    check();
    return true;
  } catch {
    return false;
  }
}

const pulse = process[Symbol.for('assize.pulse')];
if (pulse) beforeEach(() => pulse(true));

afterAll(() => {
  pulse?.(false);
  const changed = Object.keys(wrong).filter((name) => passes(() => wrong[name](expect)));
  changed.push(...Object.keys(asserted).filter((name) => passes(asserted[name])).map((name) => `assert.${name}`));
  if (global.expect !== given) changed.push('the global `expect`');
  if (Object.is !== is) changed.push('Object.is');
  if (changed.length > 0) throw new Error(`the code under test changed ${changed.join(', ')}`);
});
