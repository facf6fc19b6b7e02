// Loaded first into every process that runs tests.
//
// It ends a process that is stuck, since no runner can interrupt a loop that never yields. It keeps
// assertions from being replaced, and asks those that can be fooled twice. It shows the text of tests to nobody else. And it leaves a
// mark when a test process has come to its end by itself: `process.exit(0)` leaves status 0 behind as well, but no mark.
'use strict';

const assert = require('node:assert');
const { syncBuiltinESMExports } = require('node:module');
const { isMainThread, Worker } = require('node:worker_threads');

const redacted = require('./redacted_view.cjs');
const mutations = require('./mutations.cjs');

/** Seconds for which a test may keep its thread from another turn of the event loop and from another test, unless it may take another time. */
const STUCK_SECONDS = 30;
/** How many times as long a thread may take to load and to translate what it tests. */
const LOADING = 4;

/** Where the code of a runner's realm finds `pulse`. */
const PULSE = Symbol.for('assize.pulse');

/** Runs in a thread of its own, and counts the seconds in which the process did not turn and no test began. */
function watch({ beat, pid, seconds, loading }) {
  const { writeSync } = require('node:fs');
  let last = Atomics.load(beat, 0);
  let missed = 0;
  setInterval(() => {
    const now = Atomics.load(beat, 0);
    missed = now === last ? missed + 1 : 0;
    last = now;
    const most = Atomics.load(beat, 1) === 1 ? seconds : seconds * loading;
    if (missed < most) return;
    writeSync(2, `a test did not let go for ${most} seconds: a loop in it has no end\n`);
    process.kill(pid, 'SIGKILL');
  }, 1000);
}

/** Whether this process runs code under test: a child of `node --test`, a worker of a runner, or a runner that has no workers. */
function runsTests() {
  return isWorker() || process.env.ASSIZE_WATCH === '1';
}

/** Whether a runner has begun this process for tests. Where tests run in the runner's own, our plug-in begins the watch: what else a
 * script calls may take its time. */
function isWorker() {
  return String(process.env.NODE_TEST_CONTEXT ?? '').startsWith('child')
    || typeof process.send === 'function'
    || process.env.TAP_CHILD_ID !== undefined;
}

function guard() {
  if (process[PULSE]) return;
  const beat = new Int32Array(new SharedArrayBuffer(8));
  const { add, store } = Atomics;
  // Runners begin one test after the other without a turn between them.
  const pulse = (isInTest) => {
    add(beat, 0, 1);
    if (isInTest !== undefined) store(beat, 1, isInTest ? 1 : 0);
  };
  setInterval(pulse, 500).unref();
  Object.defineProperty(process, PULSE, { value: pulse });
  const code = `(${watch})(require('node:worker_threads').workerData)`;
  const seconds = Number(process.env.ASSIZE_TEST_SECONDS) || STUCK_SECONDS;
  const workerData = { beat, pid: process.pid, seconds, loading: LOADING };
  new Worker(code, { eval: true, workerData, execArgv: [], env: {} }).unref();
}

/** Makes the functions of a module stay what they are. */
function lock(target) {
  for (const name of Object.getOwnPropertyNames(target)) {
    const property = Object.getOwnPropertyDescriptor(target, name);
    if (typeof property.value !== 'function' || !property.configurable || name === 'prototype') continue;
    Object.defineProperty(target, name, { ...property, writable: false, configurable: false });
  }
}

/** Says which assertions let pass what they must not. */
function blunt({ equal, strictEqual, deepEqual, deepStrictEqual, notStrictEqual, ok, throws }) {
  const wrong = {
    equal: () => equal(1, 2),
    strictEqual: () => strictEqual(1, 2),
    deepEqual: () => deepEqual({ a: [1] }, { a: [2] }),
    deepStrictEqual: () => deepStrictEqual({ a: [1] }, { a: [2] }),
    notStrictEqual: () => notStrictEqual(1, 1),
    ok: () => ok(false),
    throws: () => throws(() => 1),
  };
  return Object.keys(wrong).filter((name) => {
    try {
      wrong[name]();
      return true;
    } catch {
      return false;
    }
  });
}

/** Every test of `node:test` that begins, as its runner knows it; the code under test has no way to it. */
function beginning() {
  const tests = new Set();
  const pulse = process[PULSE];
  const { prototype } = require('node:async_hooks').AsyncResource;
  mutations.replace(prototype, 'runInAsyncScope', (original) => function runInAsyncScope(...words) {
    if (typeof this.name === 'string' && 'passed' in this) {
      pulse?.(true);
      tests.add(this);
    }
    return Reflect.apply(original, this, words);
  });
  return tests;
}

function markCompletion() {
  const { writeFileSync } = require('node:fs');
  const { createHash } = require('node:crypto');
  const { join, resolve } = require('node:path');
  const write = process.stdout.write;
  const stringify = JSON.stringify;
  lock(require('node:test'));
  const file = resolve(process.argv[1] ?? '');
  const tests = beginning();
  const mark = join(__dirname, `ended-${createHash('sha256').update(file).digest('hex').slice(0, 32)}`);
  let marked = false;
  // Comes when nothing is left to do, and not when somebody calls `process.exit`.
  process.prependListener('beforeExit', () => {
    if (marked) return;
    marked = true;
    const changed = [...blunt(assert), ...blunt(assert.strict).map((name) => `strict.${name}`)];
    for (const name of ['assert', 'node:assert']) {
      if (require(name) !== assert) changed.push(`the module ${name}`);
    }
    if (process.stdout.write !== write) changed.push('process.stdout.write');
    const failed = [...tests].filter((test) => test.finished && !test.passed && !test.isTodo && !test.skipped);
    writeFileSync(mark, stringify({ changed, failed: failed.map((test) => test.name) }));
  });
}

/** `assert.equal` is the one assertion that asks an object for its value. */
function confirm() {
  mutations.replace(assert, 'equal', (original) => function equal(actual, expected, ...rest) {
    const fooled = typeof actual === 'object' && actual !== null || typeof actual === 'function';
    const compare = (value) => Reflect.apply(original, this, [actual, value, ...rest]);
    return fooled && arguments.length > 1 ? mutations.ask(actual, expected, compare) : Reflect.apply(original, this, arguments);
  });
  syncBuiltinESMExports();
}

module.exports = { PULSE, guard };

if (!isMainThread || runsTests()) redacted.install();
if (isMainThread && isWorker()) guard();
if (isMainThread && runsTests()) {
  confirm();
  lock(assert);
  lock(assert.strict);
  // The runner of tests calls them through this.
  if (String(process.env.NODE_TEST_CONTEXT ?? '').startsWith('child')) markCompletion();
  lock(require('node:async_hooks').AsyncResource.prototype);
}
