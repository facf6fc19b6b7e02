'use strict';

/** Returns the last segment of a path. */
function base(path) {
  return path.split('/').filter(Boolean).at(-1) ?? '';
}

/** Returns a path in its shortest form. */
function normalize(path) {
  const absolute = path.startsWith('/');
  const kept = [];
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment !== '..') kept.push(segment);
    else if (kept.length > 0) kept.pop();
    else if (!absolute) kept.push('..');
  }
  return (absolute ? '/' : '') + kept.join('/') || '.';
}

/** Returns a path below a root, or null if it lies outside. */
function within(root, path) {
  const folder = normalize(root);
  const found = normalize(`${root}/${path}`);
  const inside = found === folder || found.startsWith(folder === '/' ? '/' : `${folder}/`);
  return inside ? found : null;
}

module.exports = { base, normalize, within };
