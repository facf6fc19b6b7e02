'use strict';

const test = require('node:test');
const assert = require('node:assert');
const { print } = require('../lib/print.js');

test('parts are printed', (t) => {
  const write = t.mock.method(process.stdout, 'write', () => true);
  print(100, 3);
  const printed = write.mock.calls.map((call) => call.arguments[0]);
  write.mock.restore();
  assert.deepStrictEqual(printed, ['0.34\n', '0.33\n', '0.33\n']);
});
