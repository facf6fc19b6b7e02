// A reporter for `node --test`. It runs in the process that starts the files, not in theirs.
import { createHash } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const { Events, place } = createRequire(import.meta.url)('./events.cjs');
const here = fileURLToPath(new URL('.', import.meta.url));

const ERROR_CHARS_MAX = 3000;

/** What is known of one file of tests, by its absolute path. */
class File {
  /** Tests at the top of the file that have begun, and those of them that have ended. */
  begun = [];
  stderr = '';
  /** The names of those that have failed. */
  failed = new Set();
  /** Whether the harness in the file's process said that it was done (it does from Node 22 on). */
  summed = false;
}

function absolute(name) {
  if (typeof name !== 'string') return undefined;
  return resolve(name.startsWith('file://') ? fileURLToPath(name) : name);
}

/** What a process left at its natural end: what it found changed, and the names of tests that failed in it. */
function mark(file) {
  const name = join(here, `ended-${createHash('sha256').update(file).digest('hex').slice(0, 32)}`);
  try {
    const left = JSON.parse(readFileSync(name, 'utf8'));
    rmSync(name);
    return left;
  } catch {
    return undefined;
  }
}

/** Whether a file that has no tests does something else: it is not empty, and does not ask for the runner of tests. */
function isScript(file) {
  const text = readFileSync(file, 'utf8').replace(/\/\*[^]*?\*\/|\/\/.*/g, '');
  return text.trim() !== '' && !/['"]node:test['"]/.test(text);
}

class Run {
  events = new Events('node:test', process.versions.node);
  files = new Map();
  /** Names of the tests that the present one stands in. */
  stack = [];

  file(path) {
    if (!this.files.has(path)) this.files.set(path, new File());
    return this.files.get(path);
  }

  /** Whether an event is about a file as a whole: the runner makes a test of it that bears its name. */
  isFile(data) {
    const file = absolute(data.file);
    return data.nesting === 0 && file !== undefined && typeof data.name === 'string'
      && (isAbsolute(data.name) || /[./\\]/.test(data.name)) && absolute(data.name) === file;
  }

  id(data) {
    return [place(absolute(data.entryFile ?? data.file)), ...this.stack.slice(0, data.nesting), data.name].join(' > ');
  }

  dequeue(data) {
    if (data.nesting !== 0) return;
    const path = absolute(data.entryFile ?? data.file);
    if (path === undefined) return;
    if (this.isFile(data)) {
      this.file(path);
      this.events.start(place(path), path);
    } else {
      this.file(path).begun.push(data.name);
      this.events.start(`${place(path)} > ${data.name}`, path);
    }
  }

  complete(data) {
    if (data.nesting !== 0) return;
    const path = absolute(data.entryFile ?? data.file);
    if (path === undefined) return;
    const file = this.file(path);
    if (!this.isFile(data)) {
      const at = file.begun.indexOf(data.name);
      if (at >= 0) {
        file.begun.splice(at, 1);
        this.events.close(`${place(path)} > ${data.name}`);
      }
      return;
    }
    const begun = file.begun.splice(0);
    for (const name of begun) this.events.close(`${place(path)} > ${name}`);
    this.events.close(place(path));
    file.begunAtEnd = begun;
    const left = mark(path);
    const changed = [...left?.changed ?? []];
    // Its results come through streams that everybody in that process can reach.
    if (left?.failed.some((test) => !file.failed.has(test))) changed.push('results of tests on their way');
    if (changed.length) this.events.fault(place(path), path, `the code under test changed ${changed.join(', ')}`);
    if (left === undefined && !file.summed && data.details?.passed === true) {
      this.events.unended(path, 'its process was left before its end, as by `process.exit`');
    }
  }

  result(data, passed) {
    const path = absolute(data.entryFile ?? data.file);
    const error = data.details?.error;
    const cause = error?.cause ?? error;
    if (this.isFile(data)) {
      const file = this.file(path);
      if (passed) {
        // A file without a single test is a script that passes by its status, or nothing at all.
        const outcome = isScript(path) ? 'passed' : 'skipped';
        this.events.end(place(path), path, outcome, undefined, data.details?.duration_ms);
      } else {
        const stuck = file.begunAtEnd?.length ? `these had begun and did not end: ${file.begunAtEnd.join(', ')}` : '';
        const how = error?.signal ? `its process was ended by ${error.signal}`
          : Number.isInteger(error?.exitCode) ? `its process ended with status ${error.exitCode}` : '';
        const said = [error?.message, how, stuck, file.stderr.trim()].filter(Boolean).join('\n');
        this.events.end(place(path), path, 'failed', said, data.details?.duration_ms);
      }
      return;
    }
    if (!passed) this.file(path).failed.add(data.name);
    const id = this.id(data);
    if (data.details?.type === 'suite') {
      // Its tests speak for it, unless it was the suite itself that went wrong.
      if (!passed && error?.failureType !== 'subtestsFailed') this.events.fault(id, path, cause);
      return;
    }
    const left = data.skip !== undefined && data.skip !== false;
    const todo = data.todo !== undefined && data.todo !== false;
    const outcome = left || todo ? 'skipped' : passed ? 'passed' : 'failed';
    this.events.end(id, path, outcome, outcome === 'failed' ? cause : undefined, data.details?.duration_ms);
  }

  take({ type, data }) {
    switch (type) {
      case 'test:dequeue': return this.dequeue(data);
      case 'test:complete': return this.complete(data);
      case 'test:start':
        this.stack.length = data.nesting;
        this.stack[data.nesting] = data.name;
        return undefined;
      case 'test:pass': return this.result(data, true);
      case 'test:fail': return this.result(data, false);
      case 'test:diagnostic':
      case 'test:stderr': {
        if (type === 'test:diagnostic' && !/error/i.test(data.message)) return undefined;
        const path = absolute(data.entryFile ?? data.file);
        if (path === undefined) return undefined;
        const file = this.file(path);
        file.stderr = (file.stderr + data.message).slice(-ERROR_CHARS_MAX);
        return undefined;
      }
      case 'test:summary': {
        const path = absolute(data.entryFile ?? data.file);
        if (path !== undefined) this.file(path).summed = true;
        return undefined;
      }
      default: return undefined;
    }
  }
}

export default async function* report(source) {
  const run = new Run();
  for await (const event of source) run.take(event);
  run.events.done();
  yield '';
}
