// Loaded first into every process that runs tests.
//
// It ends a process that is stuck, since no runner can interrupt a loop that never yields. It keeps
// assertions from being replaced. And it leaves a mark when a test process has come to its end by
// itself: `process.exit(0)` leaves status 0 behind as well, but no mark.
'use strict';

const assert = require('node:assert');
const { isMainThread, Worker } = require('node:worker_threads');

/** Seconds for which a process may go without a turn of its event loop. */
const STUCK_SECONDS = 30;

/** Runs in a thread of its own, and counts the seconds in which the process did not turn. */
function watch({ beat, pid, seconds }) {
  let last = Atomics.load(beat, 0);
  let missed = 0;
  setInterval(() => {
    const now = Atomics.load(beat, 0);
    missed = now === last ? missed + 1 : 0;
    last = now;
    if (missed >= seconds) process.kill(pid, 'SIGKILL');
  }, 1000);
}

/** Whether this process runs code under test: a child of `node --test`, a worker of a runner, or a runner that has no workers. */
function runsTests() {
  return String(process.env.NODE_TEST_CONTEXT ?? '').startsWith('child')
    || typeof process.send === 'function'
    || process.env.ASSIZE_WATCH === '1';
}

function guard() {
  const beat = new Int32Array(new SharedArrayBuffer(4));
  setInterval(() => Atomics.add(beat, 0, 1), 500).unref();
  const code = `(${watch})(require('node:worker_threads').workerData)`;
  const workerData = { beat, pid: process.pid, seconds: STUCK_SECONDS };
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

function witness() {
  const { writeFileSync } = require('node:fs');
  const { createHash } = require('node:crypto');
  const { join, resolve } = require('node:path');
  const write = process.stdout.write;
  const stringify = JSON.stringify;
  lock(require('node:test'));
  const file = resolve(process.argv[1] ?? '');
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
    writeFileSync(mark, stringify(changed));
  });
}

if (isMainThread && runsTests()) {
  guard();
  lock(assert);
  lock(assert.strict);
  // The runner of tests calls them through this.
  lock(require('node:async_hooks').AsyncResource.prototype);
  if (String(process.env.NODE_TEST_CONTEXT ?? '').startsWith('child')) witness();
}
