// Listens to AVA. It is loaded into AVA's own process; the tests run in other processes or threads.
//
// AVA has no plug-ins. Its reporter of TAP is told of everything that happens, and here is told of it first. The module
// is found by its place in the package, in versions that import it and in those that require it.
'use strict';

const { mkdirSync } = require('node:fs');
const Module = require('node:module');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');
const { isMainThread } = require('node:worker_threads');

const { Events, place } = require('./events.cjs');

const REPORTER = /[\\/]ava[\\/]lib[\\/]reporters[\\/]tap\.js$/;
const API = /[\\/]ava[\\/]lib[\\/]api\.js$/;

function says(error) {
  if (!error) return undefined;
  const details = (error.formattedDetails ?? error.values ?? []).map(({ label, formatted }) => `${label} ${formatted}`);
  const named = [error.name, error.message].filter(Boolean).join(': ');
  const lines = [named, ...details, error.formattedError, error.stack ?? error.summary];
  return lines.filter(Boolean).join('\n') || 'it failed, and does not say why';
}

/** Tells what happens in a run, until its end. */
class Run {
  constructor(status) {
    this.events = new Events('ava', undefined);
    /** Tests that were declared and have not begun: `.only` and patterns leave tests aside without a word. */
    this.waiting = new Map();
    /** How often each thing went wrong. The files run side by side, so that a number for all would be by chance. */
    this.faults = new Map();
    /** The files that came to declare a test. */
    this.loaded = new Set();
    // Since version 8 what happened comes wrapped.
    status.on('stateChange', (event) => this.take(typeof event.data?.type === 'string' ? event.data : event));
  }

  take(event) {
    const { testFile, title } = event;
    const id = `${place(testFile) ?? 'the run'} > ${title}`;
    switch (event.type) {
      case 'declared-test':
        this.waiting.set(id, testFile);
        this.loaded.add(testFile);
        break;
      case 'selected-test':
        this.waiting.delete(id);
        if (event.skip || event.todo) this.events.end(id, testFile, 'skipped');
        else this.events.start(id, testFile);
        break;
      case 'test-passed':
      case 'test-failed': {
        this.events.close(id);
        const passed = event.knownFailing ? 'expected_failure' : 'passed';
        this.events.end(id, testFile, event.type === 'test-passed' ? passed : 'failed', says(event.err), event.duration);
        break;
      }
      case 'hook-failed':
      case 'internal-error':
      case 'interrupt':
      case 'missing-ava-import':
      case 'process-exit':
      case 'timeout':
      case 'uncaught-exception':
      case 'unhandled-rejection':
      case 'worker-failed':
        this.fault(event);
        break;
      default:
    }
  }

  fault({ type, testFile, title, err }) {
    const file = place(testFile);
    const isUnloaded = file !== undefined && !this.loaded.has(testFile);
    const what = isUnloaded ? file : [file ?? 'the run', title ?? type].join(' > ');
    const count = (this.faults.get(what) ?? 0) + 1;
    this.faults.set(what, count);
    // A file that cannot be loaded is one fault, whatever AVA says of it afterwards.
    if (isUnloaded && count > 1) return;
    this.events.fault(isUnloaded ? what : `${what} (${count})`, testFile, says(err) ?? type);
  }

  end() {
    for (const [id, file] of this.waiting) this.events.end(id, file, 'deselected');
    this.events.done();
  }
}

function listen({ prototype }) {
  const { startRun, endRun, consumeStateChange } = prototype;
  let run;
  // The reporter itself stumbles over tests that were left by `process.exit`.
  prototype.consumeStateChange = function consumed(event) {
    try {
      Reflect.apply(consumeStateChange, this, [event]);
    } catch {
      // What happened has been told already.
    }
  };
  prototype.startRun = function started(plan) {
    run = new Run(plan.status);
    return Reflect.apply(startRun, this, [plan]);
  };
  prototype.endRun = function ended() {
    run?.end();
    return Reflect.apply(endRun, this, []);
  };
}

/** Packages are read-only: what AVA keeps from run to run goes elsewhere. */
function settle({ prototype }) {
  const folder = join(tmpdir(), 'ava');
  prototype._getLocalCacheDir = () => folder;
  prototype._createCacheDir = () => {
    mkdirSync(folder, { recursive: true });
    return folder;
  };
}

module.exports = { listen, settle };

if (isMainThread && typeof process.send !== 'function' && /[\\/]\.?(bin[\\/]ava|ava[\\/])/.test(process.argv[1] ?? '')) {
  const { _compile: compile } = Module.prototype;
  Module.prototype._compile = function compiled(text, file, ...others) {
    // Newer versions of Node say here that it is an ES module.
    const done = Reflect.apply(compile, this, [text, file, ...others]);
    if (REPORTER.test(file) && typeof this.exports === 'function') listen(this.exports);
    if (API.test(file) && typeof this.exports === 'function') settle(this.exports);
    return done;
  };
  Module.register?.('./ava_load.mjs', pathToFileURL(__filename));
}
