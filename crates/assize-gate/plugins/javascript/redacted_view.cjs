// Shows tests to nobody but those who run them.
//
// Code under test that opens the file of a running test finds one of the same length with other numbers and other
// words in it. Whoever reads there what to answer answers wrong; whoever looks at a whole tree, such as a linter that is
// run over itself, sees what it would have seen. Loaders, runners and the tests themselves read what is written.
'use strict';

const { randomInt } = require('node:crypto');
const fs = require('node:fs');
const Module = require('node:module');
const os = require('node:os');
const path = require('node:path');
const programs = require('node:child_process');
const threads = require('node:worker_threads');
const { fileURLToPath } = require('node:url');

const { replace } = require('./mutations.cjs');

const { readFileSync, writeFileSync } = fs;
const realpath = fs.realpathSync.native;
const { captureStackTrace } = Error;
const { apply, defineProperty, getOwnPropertyDescriptor } = Reflect;
const { join, relative, resolve, sep } = path;
const folder = process.cwd();
const main = process.argv[1] === undefined ? undefined : real(resolve(process.argv[1]));

const FRAMES_MAX = 200;
const FILE_BYTES_MAX = 2 * 1024 * 1024;
const WORDS_CHARS_MAX = 100_000;
// The folder of the project may have any name, with blanks in it.
const here = `${folder}${sep}`.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const FILE_WORD = new RegExp(`(?:${here})?[\\w@./-]+\\.(?:[cm]?[jt]sx?|snap)\\b`, 'g');
const CODE = /\.(?:[cm]?[jt]sx?|snap)$/;
const SNAPSHOT = /\.snap$/;
const TEST_NAME = /(?:^|[._-])(?:test|tests|spec)s?\.[cm]?[jt]sx?$|^test[-_.]/;
const TEST_FOLDER = /(?:^|\/)(?:tests?|__tests__|specs?|e2e)\//;
const DATA_FOLDER = /(?:^|\/)(?:__)?(?:test)?(?:fixtures?|data|inputs?|outputs?|samples?|cases|templates?)(?:__)?\//;
const TEST_CALL = /\b(?:test|it|describe|suite)(?:\.\w+)*\s*\(/;
const TOKEN = /\/\/.*|\/\*[^]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[^]|[^`\\])*`|(?<![\w$.])\d[\d_.]*(?![\w$])/g;
const LOADS = /\bimport\b|\brequire\s*\(|\bfrom\b|\bmock\s*\(/;

function real(name) {
  try {
    return realpath(name);
  } catch {
    return name;
  }
}

/** The path below the folder that the runner was started in; nothing for what lies elsewhere, or was installed. */
function own(name) {
  const inner = relative(folder, name).split(sep).join('/');
  return inner === '' || inner.startsWith('../') || inner.includes('node_modules/') || path.isAbsolute(inner) ? undefined : inner;
}

function isTestPath(inner) {
  return TEST_NAME.test(path.basename(inner)) || TEST_FOLDER.test(inner);
}

/** Whether a file holds tests that run here, as far as that can be known. */
function isShielded(name, text) {
  if (name === main) return isTestPath(own(name) ?? '') || TEST_CALL.test(text());
  const inner = own(name);
  if (inner === undefined || DATA_FOLDER.test(inner)) return false;
  return SNAPSHOT.test(inner) || isTestPath(inner) && TEST_CALL.test(text());
}

/** Another character of the same kind. */
function other(character) {
  for (const [first, last] of ['09', 'az', 'AZ']) {
    if (character < first || character > last) continue;
    const start = first === '0' ? '1' : first;
    for (;;) {
      const next = String.fromCharCode(randomInt(start.charCodeAt(0), last.charCodeAt(0) + 1));
      if (next !== character) return next;
    }
  }
  return character;
}

/** The text of a test with other literals: nothing of it is longer or shorter. */
function changed(text) {
  return text.replace(TOKEN, (token, at) => {
    if (token.startsWith('//') || token.startsWith('/*')) return token;
    if (/^\d/.test(token)) return token.replace(/\d/g, other);
    const line = text.slice(text.lastIndexOf('\n', at) + 1, at);
    if (LOADS.test(line)) return token;
    return token.replace(/\\[^]|\$\{[^}]*\}|[A-Za-z]|\d/g, (part) => (part.length === 1 ? other(part) : part));
  });
}

const redactedViews = new Map();

/** The file to read in place of another one: itself, unless that holds tests. */
function redactedView(name) {
  const place = real(name);
  if (redactedViews.has(place)) return redactedViews.get(place);
  let redacted;
  try {
    if (CODE.test(place) && fs.statSync(place).size <= FILE_BYTES_MAX) {
      let text;
      const read = () => (text ??= readFileSync(place, 'utf8'));
      if (isShielded(place, read)) {
        redacted = join(os.tmpdir(), `${randomInt(2 ** 40).toString(36)}-${path.basename(place)}`);
        writeFileSync(redacted, changed(read()), { mode: 0o600 });
      }
    }
  } catch {
    redacted = undefined;
  }
  redactedViews.set(place, redacted);
  return redacted;
}

/** The files of the frames that lead here, with the names of functions, the innermost first. */
function frames() {
  const holder = {};
  const limit = getOwnPropertyDescriptor(Error, 'stackTraceLimit');
  const prepare = getOwnPropertyDescriptor(Error, 'prepareStackTrace');
  try {
    defineProperty(Error, 'stackTraceLimit', { value: FRAMES_MAX, writable: true, configurable: true, enumerable: true });
    defineProperty(Error, 'prepareStackTrace', {
      value: (_, sites) => sites.map((site) => [site.getFileName() ?? '', `${site.getTypeName()}.${site.getMethodName()}`]),
      writable: true, configurable: true,
    });
    captureStackTrace(holder, frames);
    return Array.isArray(holder.stack) ? holder.stack : [];
  } finally {
    if (limit === undefined) delete Error.stackTraceLimit;
    else defineProperty(Error, 'stackTraceLimit', limit);
    if (prepare === undefined) delete Error.prepareStackTrace;
    else defineProperty(Error, 'prepareStackTrace', prepare);
  }
}

/** Whether whoever reads may see what is written: a loader, a runner, a test. */
function isTrusted() {
  const sites = frames().filter(([file]) => !file.startsWith(__dirname));
  if (sites[0]?.[0].startsWith('node:internal/modules')) return true;
  let known = false;
  for (const [at, [file, name]] of sites.entries()) {
    const place = file.startsWith('file://') ? fileURLToPath(file) : file;
    if (place.startsWith('node:internal/modules') || place.includes('/node_modules/')) {
      known = true;
      continue;
    }
    const inner = path.isAbsolute(place) ? own(place) : undefined;
    if (inner === undefined) continue;
    // A hook by which the project has its files compiled is called by the loader.
    const isHook = name !== '' && sites[at + 1]?.[1] === 'Module.load';
    if (isTestPath(inner) || place === main || isHook) known = true;
    else return false;
  }
  return known;
}

function nameOf(file) {
  if (typeof file === 'string') return resolve(file);
  if (file instanceof URL && file.protocol === 'file:') return fileURLToPath(file);
  return Buffer.isBuffer(file) ? resolve(file.toString()) : undefined;
}

/** What is to be opened instead of a file by whoever asks for it now. */
function instead(file) {
  try {
    const name = nameOf(file);
    const redacted = name === undefined || !CODE.test(real(name)) ? undefined : redactedView(name);
    return redacted === undefined || isTrusted() ? file : redacted;
  } catch {
    return file;
  }
}

function shield(holder, names) {
  for (const name of names) {
    replace(holder, name, (original) => function (file, ...rest) {
      return apply(original, this, [instead(file), ...rest]);
    });
  }
}

/** A text with the names of redacted views in place of the files that it names. */
function renamed(text) {
  if (typeof text !== 'string' || text.length > WORDS_CHARS_MAX) return text;
  return text.replace(FILE_WORD, (word) => {
    const redacted = redactedView(resolve(word));
    return redacted === undefined ? word : redacted;
  });
}

/** Other programs are told of redacted views as well. */
function shieldPrograms() {
  for (const name of ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork']) {
    replace(programs, name, (original) => function (...words) {
      if (isTrusted()) return apply(original, this, words);
      const told = words.map((word, at) => {
        if (Array.isArray(word)) return word.map(renamed);
        if (at === 0) return renamed(word);
        return word?.env || word?.input ? { ...word, env: word.env && values(word.env), input: renamed(word.input) } : word;
      });
      return apply(original, this, told);
    });
  }
}

function values(variables) {
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, renamed(value)]));
}

/** A thread looks at files as the one does that it was started by. */
function shieldThreads() {
  const { Worker } = threads;
  const preload = ['--require', join(__dirname, 'watch.cjs')];
  threads.Worker = class extends Worker {
    constructor(file, options = {}) {
      
      const wanted = options.execArgv === undefined ? options : { ...options, execArgv: [...options.execArgv, ...preload] };
      super(file, wanted);
    }
  };
  Object.defineProperty(threads.Worker, 'name', { value: 'Worker' });
}

/** A loader of modules compiles what it reads, and hands it to nobody else. */
function shieldLoader() {
  const compile = Module.prototype._compile;
  for (const ending of Object.keys(Module._extensions)) {
    replace(Module._extensions, ending, (original) => function (module, file) {
      return apply(original, this, [module, module?._compile === compile ? file : instead(file)]);
    });
  }
}

/** What shows the sources of a process, or goes around the modules of Node, is not for the code under test. */
function shieldInside() {
  const refuse = (holder, name, isMeant) => replace(holder, name, (original) => function (...words) {
    if (isMeant(words[0]) && !isTrusted()) throw new Error(`${name} is not to be used while tests run`);
    return apply(original, this, words);
  });
  refuse(process, 'binding', (name) => ['fs', 'natives', 'contextify', 'inspector'].includes(name));
  try {
    const { Session } = require('node:inspector');
    refuse(Session.prototype, 'post', (method) => /^(?:Debugger|Runtime|HeapProfiler)\./.test(method));
  } catch {
    // This Node was built without it.
  }
}

/** Puts the shield before everything that opens files. */
function install() {
  const both = ['readFile', 'open', 'copyFile', 'cp', 'link'];
  shield(fs, [...both, ...both.map((name) => `${name}Sync`), 'createReadStream', 'openAsBlob']);
  shield(fs.promises, both);
  shieldPrograms();
  shieldThreads();
  shieldLoader();
  shieldInside();
  Module.syncBuiltinESMExports();
}

module.exports = { changed, install };
