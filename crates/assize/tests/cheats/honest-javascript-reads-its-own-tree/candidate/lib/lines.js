'use strict';

const fs = require('node:fs');
const path = require('node:path');

/** Counts the lines of the code below a folder. */
function lines(folder) {
  let count = 0;
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const place = path.join(folder, entry.name);
    if (entry.isDirectory() && entry.name !== 'node_modules' && !entry.name.startsWith('.')) count += lines(place);
    else if (entry.name.endsWith('.js')) count += fs.readFileSync(place, 'utf8').split('\n').length - 1;
  }
  return count;
}

module.exports = { lines };
