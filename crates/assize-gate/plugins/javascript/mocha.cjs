// A reporter for Mocha. It runs in the process that the tests run in, and is loaded before them.
'use strict';

const { Events, place } = require('./events.cjs');
const { PULSE, guard } = require('./watch.cjs');

guard();

function titles(runnable) {
  const names = [];
  for (let at = runnable; at && !at.root; at = at.parent) if (at.title) names.unshift(at.title);
  return names;
}

function fileOf(runnable) {
  for (let at = runnable; at; at = at.parent) if (at.file) return at.file;
  return undefined;
}

function identify(runnable) {
  const file = fileOf(runnable);
  return { file, id: [place(file) ?? 'the run', ...titles(runnable)].join(' > ') };
}

/** All tests below a suite, whether they will run or not. */
function all(suite) {
  return [...suite.tests, ...suite.suites.flatMap(all)];
}

class Reporter {
  constructor(runner) {
    this.events = new Events('mocha', undefined);
    // Mocha takes those out that `.only` leaves aside, without a word.
    const collected = new Map(all(runner.suite).map((test) => [test, identify(test)]));
    const told = new Set();
    const begun = new Set();
    const end = (test, outcome, error) => {
      const original = test.retriedTest?.() ?? test;
      for (const one of [test, original]) {
        told.add(one);
        collected.delete(one);
      }
      const { file, id } = identify(test);
      this.events.close(id);
      this.events.end(id, file, outcome, error, test.duration);
    };
    runner.on('test', (test) => {
      const { file, id } = identify(test);
      begun.add(test);
      process[PULSE](true);
      this.events.start(id, file);
    });
    runner.on('pass', (test) => end(test, 'passed'));
    runner.on('pending', (test) => {
      const { file, id } = identify(test);
      told.add(test);
      collected.delete(test);
      // One that skips itself has begun; others never do.
      if (begun.has(test)) this.events.close(id);
      this.events.end(id, file, 'skipped');
    });
    runner.on('retry', (test) => {
      collected.delete(test);
      this.events.close(identify(test).id);
    });
    runner.on('fail', (runnable, error) => {
      const said = error ?? 'it failed, and does not say why';
      if (runnable.type === 'test' && !told.has(runnable)) end(runnable, 'failed', said);
      else this.events.fault(`${identify(runnable).id} (${runnable.type === 'test' ? 'again' : 'hook'})`, fileOf(runnable), said);
    });
    runner.once('end', () => {
      // What a failed hook kept from running is left over beside what `.only` left aside: neither has run.
      for (const { file, id } of collected.values()) this.events.end(id, file, 'deselected');
      this.events.done();
    });
  }
}

module.exports = Reporter;
