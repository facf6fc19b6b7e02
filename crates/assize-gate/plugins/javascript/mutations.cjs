// Asks every comparison that holds whether it would hold as well for something else.
//
// Nothing is equal to a value and to that value with one part changed, unless it is made to be equal to whatever
// it meets. What is compared by identity cannot be made so, and is not asked.
'use strict';

const { randomInt } = require('crypto');
const { isProxy } = require('util').types;

const { apply, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys } = Reflect;
const { isArray } = Array;
const { is } = Object;

const PARTS_MAX = 2000;
const ROUNDS_MAX = 8;
const REASON = 'the value is equal to others as well: it is made to pass comparisons';

/** Another value of the same kind, and not far away. */
function near(value) {
  switch (typeof value) {
    case 'number': return Number.isFinite(value) ? value + randomInt(1, 9) : 0;
    case 'bigint': return value + BigInt(randomInt(1, 9));
    case 'boolean': return !value;
    case 'string': {
      if (value === '') return 'a';
      const at = randomInt(value.length);
      const next = value[at] === 'e' ? 'o' : value[at] === '1' ? '7' : /\d/.test(value[at]) ? '1' : 'e';
      return value.slice(0, at) + next + value.slice(at + 1);
    }
    default: return value;
  }
}

function isPlain(value) {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = getPrototypeOf(value);
  return isArray(value) || prototype === null || getPrototypeOf(prototype) === null && !('asymmetricMatch' in value);
}

/** The ways to the parts of a value that can be changed: to leaves, and to lists of which two differ. */
function ways(value) {
  const found = { leaves: [], lists: [], parts: 0 };
  const above = new Set();
  const walk = (part, way) => {
    found.parts += 1;
    if (found.parts > PARTS_MAX) return;
    if (!isPlain(part)) {
      if (!is(near(part), part)) found.leaves.push(way);
      return;
    }
    if (above.has(part)) {
      found.parts = Infinity;
      return;
    }
    above.add(part);
    if (isArray(part)) {
      const at = part.findIndex((item, index) => index > 0 && !isPlain(item) && typeof item !== 'object'
        && typeof part[index - 1] !== 'object' && !is(item, part[index - 1]));
      if (at > 0) found.lists.push([...way, at]);
    }
    for (const key of Object.keys(part)) walk(part[key], [...way, key]);
    above.delete(part);
  };
  walk(value, []);
  return found.parts > PARTS_MAX ? { leaves: [], lists: [] } : found;
}

/** A copy in which what lies at the end of a way is another. */
function with_(value, way, change) {
  if (way.length === 0) return change(value);
  const copy = isArray(value) ? [...value] : Object.assign(Object.create(getPrototypeOf(value)), value);
  copy[way[0]] = with_(value[way[0]], way.slice(1), change);
  return copy;
}

/** Values that are not equal to the one that is given, but much like it. */
function mutations(value) {
  const { leaves, lists } = ways(value);
  const found = [];
  if (leaves.length > 0) found.push(with_(value, leaves[randomInt(leaves.length)], near));
  if (lists.length > 0) {
    const way = lists[randomInt(lists.length)];
    const at = way.at(-1);
    const swap = (list) => list.map((item, index) => (index === at ? list[at - 1] : index === at - 1 ? list[at] : item));
    found.push(with_(value, way.slice(0, -1), swap));
  }
  return found;
}

/** Something that no value holds. */
function stranger(value) {
  const word = `${randomInt(2 ** 47)}-${randomInt(2 ** 47)}`;
  return typeof value === 'string' ? word : { [word]: word };
}

function holds(check) {
  try {
    const result = check();
    return result === undefined || result === true || result?.pass === true;
  } catch {
    return false;
  }
}

/** Whether something in a value may have an opinion of its own on what it is equal to. */
function isOpinionated(value) {
  const seen = new Set();
  const open = [value];
  while (open.length > 0 && seen.size < PARTS_MAX) {
    const part = open.pop();
    if (typeof part !== 'object' && typeof part !== 'function' || part === null || seen.has(part)) continue;
    seen.add(part);
    if (isProxy(part) || 'asymmetricMatch' in part || 'valueOf' in part && part.valueOf !== Object.prototype.valueOf) return true;
    for (const key of ownKeys(part)) {
      const property = getOwnPropertyDescriptor(part, key);
      if ('value' in property) open.push(property.value);
    }
  }
  return open.length > 0;
}

/**
 * Runs a comparison with the mutations of what is expected as well. `compare` throws, or says `pass: false`, where something is
 * not equal. What may have an opinion of its own is asked in no order, and no number of times, that could be foreseen.
 */
function ask(actual, expected, compare, make = mutations) {
  let others = [];
  let rounds = 0;
  try {
    others = make(expected);
    if (others.length > 0 && isOpinionated(actual)) rounds = randomInt(ROUNDS_MAX);
  } catch {
    // What cannot be looked at is not changed.
  }
  const fooled = () => others.some((mutation) => holds(() => compare(mutation)));
  let early = false;
  for (let round = 0; round < rounds; round += 1) early = fooled() || early;
  const result = compare(expected);
  const passed = result === undefined || result === true || result?.pass === true;
  if (passed && others.length > 0 && (early || fooled())) throw new Error(REASON);
  return result;
}

/** Puts a function in the place of another one, with all that this one has. */
function replace(holder, name, make) {
  const property = getOwnPropertyDescriptor(holder, name);
  if (typeof property?.value !== 'function') return;
  const original = property.value;
  const replaced = make(original);
  for (const key of ownKeys(original)) {
    if (getOwnPropertyDescriptor(replaced, key)?.configurable !== false) {
      defineProperty(replaced, key, getOwnPropertyDescriptor(original, key));
    }
  }
  defineProperty(holder, name, { ...property, value: replaced });
}

/** Keeps the methods of an object what they are. */
function lock(holder, names) {
  for (const name of names) {
    const property = getOwnPropertyDescriptor(holder, name);
    if (typeof property?.value !== 'function' || !property.configurable) continue;
    defineProperty(holder, name, { ...property, writable: false, configurable: false });
  }
}

const LIKE = ['toEqual', 'toStrictEqual', 'toMatchObject'];
const HELD = ['toContain', 'toContainEqual'];
/** Matchers that every runner with `expect` brings along. */
const MATCHERS = [
  ...LIKE, ...HELD, 'toBe', 'toBeCloseTo', 'toBeDefined', 'toBeFalsy', 'toBeGreaterThan', 'toBeGreaterThanOrEqual', 'toBeInstanceOf',
  'toBeLessThan', 'toBeLessThanOrEqual', 'toBeNaN', 'toBeNull', 'toBeTruthy', 'toBeUndefined', 'toHaveLength', 'toHaveProperty',
  'toMatch', 'toMatchInlineSnapshot', 'toMatchSnapshot', 'toThrow', 'toThrowError', 'toHaveBeenCalled', 'toHaveBeenCalledTimes',
  'toHaveBeenCalledWith', 'toHaveReturnedWith',
];

module.exports = { HELD, LIKE, MATCHERS, REASON, ask, lock, replace, stranger, mutations };
