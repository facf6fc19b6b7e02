// Listens to tape. It runs in the process that the tests run in, and is loaded before them.
'use strict';

const { createRequire } = require('node:module');
const { join, sep } = require('node:path');

const { Events, place } = require('./events.cjs');
const { PULSE, guard } = require('./watch.cjs');

guard();

const events = new Events('tape', undefined);
const own = createRequire(join(process.cwd(), 'package.json'));
const tape = own('tape');

/** The files in which tests of a name were defined, in that order. */
const defined = new Map();
const tests = new Map();
const names = new Map();

/** The first file on the way to a call that is neither ours nor a package's. */
function caller() {
  const frames = String(new Error('here').stack).split('\n').slice(1);
  for (const frame of frames) {
    const file = /\(?((?:file:\/\/)?\/[^()]+?):\d+:\d+\)?$/.exec(frame.trim())?.[1];
    if (file && file !== __filename && !file.includes(`${sep}node_modules${sep}`)) return file;
  }
  return undefined;
}

function note(define) {
  return function noted(...words) {
    const name = words.find((word) => typeof word === 'string') ?? '(anonymous)';
    defined.set(name, [...(defined.get(name) ?? []), caller()]);
    return define.apply(this, words);
  };
}

// What tests load is told of each call before tape is.
const noted = note(tape);
for (const name of Object.keys(tape)) noted[name] = tape[name];
for (const name of ['test', 'only', 'skip']) if (typeof tape[name] === 'function') noted[name] = note(tape[name]);
require.cache[own.resolve('tape')].exports = noted;

function unique(id) {
  const count = (names.get(id) ?? 0) + 1;
  names.set(id, count);
  return count === 1 ? id : `${id} (${count})`;
}

function says({ operator, name, expected, actual, error }) {
  const compared = expected === undefined && actual === undefined ? '' : `: ${String(expected)} is expected, and not ${String(actual)}`;
  return error ?? `${operator ?? 'fail'}: ${name}${compared}`;
}

function end(id) {
  const test = tests.get(id);
  if (!test) return;
  tests.delete(id);
  events.close(test.id);
  const outcome = test.failed.length > 0 ? 'failed' : test.skipped ? 'skipped' : 'passed';
  events.end(test.id, test.file, outcome, test.failed[0], Date.now() - test.began);
}

/** What happens, as objects. Tests are told of from when they are defined, and must not run before all files are loaded: files
 * that are modules are loaded one after the other, and newer versions are told when that is done. */
function rows() {
  const waits = typeof tape.wait === 'function' && typeof tape.getHarness === 'function';
  if (waits) tape.wait();
  const results = waits ? tape.getHarness()._results : undefined;
  if (!results) return tape.createStream({ objectMode: true });
  results._isRunning = true;
  const stream = results.createStream({ objectMode: true });
  results._isRunning = false;
  process.once('beforeExit', () => tape.run());
  return stream;
}

let over = false;
function finish() {
  if (over) return;
  over = true;
  for (const [id, test] of tests) {
    test.failed.push('it had begun, and did not end');
    end(id);
  }
  events.done();
}

rows()
  .on('data', (row) => {
    process[PULSE](row.type !== 'end');
    if (row.type === 'test') {
      const above = tests.get(row.parent);
      const file = above?.file ?? defined.get(row.name)?.shift();
      const id = unique([above?.id ?? place(file) ?? 'the run', row.name].join(' > '));
      tests.set(row.id, { id, file, failed: [], skipped: row.skip === true, todo: row.todo === true, began: Date.now() });
      events.start(id, file);
    } else if (row.type === 'assert') {
      const test = tests.get(row.test);
      if (test && !row.ok && !row.skip && !row.todo && !test.todo) test.failed.push(says(row));
      else if (!test && !row.ok) events.fault(`an assertion outside of tests: ${row.name}`, undefined, says(row));
    } else if (row.type === 'end') {
      end(row.test);
    }
  })
  .on('end', finish);
process.once('exit', finish);
