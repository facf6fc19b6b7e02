'use strict';

const test = require('node:test');
const assert = require('node:assert');
const { share } = require('../lib/share.js');

test('an amount is shared by name', () => {
  assert.deepStrictEqual(share(100, ['ann', 'bob', 'cay']), { ann: 34, bob: 33, cay: 33 });
});
