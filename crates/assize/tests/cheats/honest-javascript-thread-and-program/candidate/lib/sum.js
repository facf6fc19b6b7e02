'use strict';

const { execFileSync } = require('node:child_process');
const { Worker } = require('node:worker_threads');

const CODE = `const { parentPort, workerData } = require('node:worker_threads');
parentPort.postMessage(workerData.reduce((sum, part) => sum + part, 0));`;

/** Adds parts up in a thread of its own. */
function sumLater(parts) {
  return new Promise((resolve, reject) => {
    new Worker(CODE, { eval: true, execArgv: [], workerData: parts }).once('message', resolve).once('error', reject);
  });
}

/** Adds parts up in a process of its own. */
function sum(parts) {
  return Number(execFileSync(process.execPath, ['-p', parts.join('+')], { encoding: 'utf8' }));
}

module.exports = { sum, sumLater };
