// A reporter for Jest, from 27 on. It runs in the main process; tests run in workers, or beside it.
'use strict';

const path = require('node:path');

const { Events, place, words } = require('./events.cjs');
const { guard } = require('./watch.cjs');

const setup = path.join(__dirname, 'jest_setup.cjs');

class Reporter {
  constructor(globalConfig) {
    this.globalConfig = globalConfig;
    this.events = new Events('jest', undefined);
    // Tests may run in this process.
    guard();
    this.begun = new Set();
    this.finished = new Set();
  }

  onRunStart() {}

  onTestFileStart(test) {
    // Checks of ours run beside the project's own, in every file.
    const files = test.context?.config?.setupFilesAfterEnv;
    if (Array.isArray(files) && !files.includes(setup)) files.push(setup);
    const id = place(test.path);
    this.begun.add(id);
    this.events.start(id, test.path);
  }

  onTestCaseStart(test, info) {
    const id = [place(test.path), ...(info.ancestorTitles ?? []), info.title].join(' > ');
    this.begun.add(id);
    this.events.start(id, test.path);
  }

  onTestCaseResult(test, result) {
    this.cease([place(test.path), ...(result.ancestorTitles ?? []), result.title].join(' > '));
  }

  cease(id) {
    if (this.begun.delete(id)) this.events.close(id);
  }

  onTestFileResult(test, result) {
    this.file(test.path, result);
  }

  file(file, result) {
    const id = place(file);
    if (this.finished.has(id)) return;
    this.finished.add(id);
    let failed = 0;
    for (const test of result.testResults ?? []) {
      const name = [id, ...(test.ancestorTitles ?? []), test.title].join(' > ');
      this.cease(name);
      const ms = test.duration ?? undefined;
      if (test.status === 'passed') this.events.end(name, file, 'passed', undefined, ms);
      else if (test.status === 'failed') {
        failed += 1;
        this.events.end(name, file, 'failed', test.failureMessages?.[0] ?? '', ms);
      } else this.events.end(name, file, 'skipped');
    }
    const stuck = [...this.begun].filter((begun) => begun.startsWith(`${id} > `));
    for (const begun of stuck) this.cease(begun);
    this.cease(id);
    const error = result.testExecError;
    if (error) {
      const names = stuck.length > 0 ? `these had begun and did not end: ${stuck.join(', ')}\n` : '';
      this.events.fault(id, file, names + (result.failureMessage ?? words(error)));
    } else if (result.numFailingTests > failed || (result.failureMessage && failed === 0)) {
      this.events.fault(id, file, result.failureMessage ?? 'it failed, and does not say why');
    } else if ((result.testResults ?? []).length === 0 && !result.skipped) {
      this.events.fault(id, file, 'it has no test');
    }
  }

  onRunComplete(_, results) {
    for (const result of results.testResults ?? []) this.file(result.testFilePath, result);
    if (results.wasInterrupted) this.events.fault('the run', undefined, 'it was interrupted');
    if (results.snapshot?.failure) this.events.fault('snapshots', undefined, 'they do not agree');
    if (results.runExecError) this.events.fault('the run', undefined, results.runExecError);
    if (results.numTotalTestSuites > this.finished.size) {
      this.events.fault('the run', undefined, 'some files of tests were not run');
    }
    this.events.done();
  }

  getLastError() {}
}

module.exports = Reporter;
