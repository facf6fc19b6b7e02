'use strict';

const test = require('node:test');
const assert = require('node:assert');
const { check } = require('../lib/brackets.js');

function fine(name, ...texts) {
  test(name, () => {
    for (const text of texts) assert.strictEqual(check(text), null, text);
  });
}

function wrong(name, text, line, column, message) {
  test(name, () => {
    assert.deepStrictEqual(check(text), { line, column, message });
  });
}

fine('matching brackets', '()', '([]{})', 'f(a[1], { b: (2) })', 'none');
fine('strings do not count', `f('(')`, `g("]", '{')`, `'it\\'s ('`, `'"(' + "'("`);
fine('comments do not count', '( // (\n)', '// ]', "// it's (\n()");
fine('a string ends with its line', "'(\n()", "x = 'a\\\n(\n)");
wrong('one that is unexpected', 'a ]', 1, 3, 'unexpected ]');
wrong('one of another kind', '(a,\n b]', 2, 3, 'expected ) but found ]');
wrong('one that is never closed', '{\n  (a\n', 2, 3, '( is never closed');
wrong('the first one counts', '())(', 1, 3, 'unexpected )');
wrong('no comment within a string', "'//' (", 1, 6, '( is never closed');
wrong('one slash is no comment', 'a / (b', 1, 5, '( is never closed');
fine('edge: empty text', '', '\n');
wrong('edge: unicode', '🙂é]', 1, 3, 'unexpected ]');
wrong('edge: the boundary of lines in other systems', '(\r\n[', 2, 1, '[ is never closed');
test('edge: a large depth', () => {
  assert.strictEqual(check('('.repeat(50000) + ')'.repeat(50000)), null);
});
