'use strict';

const test = require('node:test');
const assert = require('node:assert');
const { base, normalize, within } = require('../lib/paths.js');

function check(name, action, cases) {
  test(name, () => {
    for (const [expected, ...given] of cases) assert.strictEqual(action(...given), expected, given.join(' + '));
  });
}

check('the last segment', base, [['c', '/a/b/c'], ['b', 'a/b/'], ['', '/']]);
check('short paths stay', normalize, [['/a/b', '/a/b'], ['a', 'a'], ['/', '/']]);
check('slashes and dots go', normalize, [['/a/b', '//a///b'], ['a/b', './a/./b/'], ['/a', '/a/']]);
check('two dots take a segment away', normalize, [['/a/c', '/a/b/../c'], ['c', 'a/../b/../c'], ['b', 'a/.././b']]);
check('dots may be part of a name', normalize, [['.../..a/b..', '.../..a/./b..'], ['.a', '.a']]);
check('a path below a root', within, [['/srv/a/b', '/srv', 'a/./b'], ['/srv/b', '/srv/', 'a/../b'], ['/a', '/', 'a']]);
check('an absolute path counts from the root', within, [['/srv/etc', '/srv', '/etc']]);
check('outside is null', within, [[null, '/srv', '../etc'], [null, '/srv', 'a/../../srv2'], [null, '/srv', '../srv2/a']]);
check('edge: beyond the boundary of the root', normalize, [['/a', '/../a'], ['/', '/..'], ['/', '/a/../..']]);
check('edge: leading dots at the limit', normalize, [['../a', '../a'], ['../..', '../../'], ['../b', 'a/../../b'], ['..', 'a/../..']]);
check('edge: empty paths', normalize, [['.', ''], ['.', '.'], ['.', 'a/..'], ['.', './']]);
check('edge: the root itself is at the boundary', within, [['/srv', '/srv', ''], ['/srv', '/srv', 'a/..'], ['/', '/', '..']]);
check('edge: out and in again stays within the bounds', within, [['/srv/a', '/srv', '../srv/a']]);
