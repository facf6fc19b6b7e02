'use strict';

const test = require('node:test');
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { lines } = require('../lib/lines.js');

test('its own lines are counted', () => {
  const own = fs.readFileSync(__filename, 'utf8').split('\n').length - 1;
  assert.ok(lines(__dirname) > own);
  assert.ok(lines(path.join(__dirname, '..')) > lines(__dirname));
});
