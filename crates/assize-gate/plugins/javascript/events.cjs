// Writes what a runner of tests says, one JSON object a line. `report/events.rs` reads it.
//
// What it needs is taken at its first load, before any code under test runs: later that code may have
// put something else in its place.
'use strict';

const fs = require('node:fs');
const path = require('node:path');

const { closeSync, openSync, readFileSync, readdirSync, writeFileSync, writeSync } = fs;
const { kill, pid: own } = process;
const { isAbsolute, join, relative } = path;
const { stringify } = JSON;
// A script may have changed the folder before it called the runner.
const folder = process.env.ASSIZE_FOLDER ?? process.cwd();
/** Each call of a runner has a report of its own. */
const report = process.env.ASSIZE_EVENTS ?? 'events.jsonl';

const MESSAGE_CHARS_MAX = 3000;
const SWEEPS_MAX = 200;
/** What the first process is called where the sandbox has processes of its own. */
const FIRST = new Set(['bwrap', 'launcher']);

/** The path of a file as the report names it: relative to the folder that the runner was started in. */
function place(file) {
  if (typeof file !== 'string' || file === '') return undefined;
  let name = file;
  if (name.startsWith('file://')) name = require('node:url').fileURLToPath(name);
  if (isAbsolute(name)) name = relative(folder, name);
  return name.split('\\').join('/');
}

/** What an error says, without colours. */
function words(error) {
  if (error === undefined || error === null) return undefined;
  let text;
  try {
    if (typeof error === 'string') text = error;
    else text = String(error.stack && error.message && !String(error.stack).includes(error.message)
      ? `${error.message}\n${error.stack}` : error.stack || error.message || error);
  } catch {
    text = 'an error that cannot be shown';
  }
  // eslint-disable-next-line no-control-regex
  return text.replace(/\u001b\[[0-9;]*m/g, '').slice(0, MESSAGE_CHARS_MAX);
}

/** The state of a process, and who started it. */
function status(pid) {
  try {
    const [state, parent] = readFileSync(`/proc/${pid}/stat`, 'latin1').replace(/^.*\) /s, '').split(' ');
    return { state, parent: Number(parent) };
  } catch {
    return undefined;
  }
}

/**
 * Ends every other process of the sandbox but those that we come from, so that nobody is left to write into the report behind our back.
 * Without a sandbox that has processes of its own, nothing is ended.
 */
function sweep() {
  const above = new Set();
  for (let pid = own; pid > 0 && !above.has(pid); pid = status(pid)?.parent ?? 0) above.add(pid);
  try {
    if (!above.has(1) || !FIRST.has(readFileSync('/proc/1/comm', 'utf8').trim())) return;
  } catch {
    return;
  }
  for (let turn = 0; turn < SWEEPS_MAX; turn += 1) {
    const others = readdirSync('/proc').map(Number).filter((pid) => pid > 0 && !above.has(pid));
    const alive = others.filter((pid) => !['Z', 'X', undefined].includes(status(pid)?.state));
    if (alive.length === 0) return;
    for (const pid of alive) {
      try {
        kill(pid, 'SIGKILL');
      } catch {
        // It has ended by itself.
      }
    }
  }
}

class Events {
  constructor(runner, version) {
    this.place = join(__dirname, report);
    this.lines = [];
    this.file = openSync(this.place, 'wx', 0o600);
    this.counts = { passed: 0, failed: 0, skipped: 0 };
    this.write({ is: 'begin', runner, version: String(version ?? '') });
  }

  write(event) {
    if (this.file === undefined) return;
    const line = `${stringify(event)}\n`;
    this.lines.push(line);
    let bytes = Buffer.from(line);
    while (bytes.length > 0) bytes = bytes.subarray(writeSync(this.file, bytes));
  }

  /** Something began: a test, or a file of tests. */
  start(id, file) {
    this.write({ is: 'start', id, path: place(file) });
  }

  /** Something that is no test, and began, has ended. */
  close(id) {
    this.write({ is: 'close', id });
  }

  /** A test has ended: `passed`, `failed`, `skipped`, `deselected`, `expected_failure` or `unexpected_pass`. */
  end(id, file, outcome, error, ms) {
    if (outcome === 'passed' || outcome === 'failed') this.counts[outcome] += 1;
    else this.counts.skipped += 1;
    const message = words(error);
    this.write({ is: 'end', id, path: place(file), outcome, message, ms: Number.isFinite(ms) ? ms : undefined });
  }

  /** Something other than a test went wrong. */
  fault(id, file, error) {
    this.counts.failed += 1;
    this.write({ is: 'fault', id, path: place(file), message: words(error) ?? '' });
  }

  /** A process was left before its end, so that nobody knows what it would have said. */
  unended(file, message) {
    this.write({ is: 'unended', path: place(file), message });
  }

  /** The run is over. What was written meanwhile by others is overwritten when nobody is left to do so again. */
  done() {
    this.write({ is: 'done', ...this.counts });
    closeSync(this.file);
    this.file = undefined;
    process.once('exit', () => {
      sweep();
      writeFileSync(this.place, this.lines.join(''), { mode: 0o600 });
    });
  }
}

module.exports = { Events, place, words };
