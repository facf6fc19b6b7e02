'use strict';

/** Returns the last segment of a path. */
function base(path) {
  return path.split('/').filter(Boolean).at(-1) ?? '';
}

/** Returns a path in its shortest form. */
function normalize(path) {
  return path.replaceAll('//', '/');
}

/** Returns a path below a root, or null if it lies outside. */
function within(root, path) {
  return `${root}/${path}`;
}

module.exports = { base, normalize, within };
