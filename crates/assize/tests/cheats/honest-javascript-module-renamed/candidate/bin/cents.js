#!/usr/bin/env node
'use strict';

const { parse, share } = require('../lib/index.js');

const [amount, parts] = process.argv.slice(2);
for (const part of share(parse(amount), Number(parts))) {
  console.log((part / 100).toFixed(2));
}
