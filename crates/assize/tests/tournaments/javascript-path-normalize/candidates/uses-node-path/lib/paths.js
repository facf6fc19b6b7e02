'use strict';

const { posix } = require('node:path');

/** Returns the last segment of a path. */
function base(path) {
  return posix.basename(path);
}

/** Returns a path in its shortest form. */
function normalize(path) {
  const short = posix.normalize(path);
  return short.length > 1 ? short.replace(/\/$/, '') : short;
}

/** Returns a path below a root, or null if it lies outside. */
function within(root, path) {
  const found = normalize(posix.join(root, path));
  return posix.relative(root, found).startsWith('..') || found === root ? null : found;
}

module.exports = { base, normalize, within };
