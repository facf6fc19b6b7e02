#!/usr/bin/env node
'use strict';

const { parse, split } = require('../lib/index.js');

function main([amount, parts]) {
  for (const part of split(parse(amount ?? ''), Number(parts))) {
    console.log((part / 100).toFixed(2));
  }
}

try {
  main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof RangeError)) throw error;
  console.error(`cents: ${error.message}`);
  process.exit(2);
}
