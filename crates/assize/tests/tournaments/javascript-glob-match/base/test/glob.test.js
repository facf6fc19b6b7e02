import test from 'node:test';
import assert from 'node:assert';
import { match } from '../src/glob.js';

function check(name, pattern, matching, others) {
  test(name, () => {
    for (const path of matching) assert.ok(match(pattern, path), `${pattern} and ${path}`);
    for (const path of others) assert.ok(!match(pattern, path), `${pattern} but not ${path}`);
  });
}

check('a star stays within a segment', 'src/*', ['src/a', 'src/'], ['src/a/b', 'src']);
check('a dot is a dot', '*.js', ['a.js', '.js'], ['ajs', 'axjs', 'a.jsx']);
check('other signs stand for themselves', 'a+(b)|{c}^$', ['a+(b)|{c}^$'], ['aa(b)', 'a+b']);
check('two stars match segments', 'a/**/b', ['a/b', 'a/x/b', 'a/x/y/b'], ['a/xb', 'ab', 'a/b/c']);
check('two stars in front', '**/b.js', ['b.js', 'a/b.js', 'a/c/b.js'], ['ab.js', 'b.js/a']);
check('two stars at the end', 'a/**', ['a/b', 'a/b/c'], ['b/a', 'ab']);
check('two stars beside others are one', 'a**b', ['ab', 'axb'], ['a/b', 'ax/b']);
check('a set', 'v[0-9a].txt', ['v1.txt', 'va.txt'], ['vb.txt', 'v-.txt', 'v12.txt']);
check('the other characters', '[!a-c]x', ['dx', '!x'], ['ax', 'bx', '/x', 'x']);
check('edge: set with a bracket at its boundary', '[]a][!]]', ['ax', ']x', 'aa'], ['bx', 'a]']);
check('edge: malformed set', 'a[b', ['a[b'], ['ab', 'a']);
check('edge: a set in other words is no illegal escape', '[\\\\d^]', ['d', '\\', '^'], ['1', 'x']);
check('edge: empty pattern', '', [''], ['a', '/']);
check('edge: unicode', '?.txt', ['é.txt', '🙂.txt'], ['.txt', 'ab.txt']);
check('edge: line break is no boundary', 'a*', ['a\nb'], ['b\na']);
