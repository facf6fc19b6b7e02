import test from 'node:test';
import assert from 'node:assert';
import { apply, diff } from '../src/diff.js';

const text = (letters) => [...letters].map((letter) => `${letter}\n`).join('');
const shown = (edits) => edits.map(([sign, line]) => sign + line).join('');
const changes = (edits) => edits.filter(([sign]) => sign !== ' ').length;

test('what is the same stays', () => {
  assert.strictEqual(shown(diff(text('abc'), text('abc'))), ' a b c');
});

test('a line is replaced', () => {
  assert.strictEqual(shown(diff(text('abc'), text('axc'))), ' a-b+x c');
});

test('a line comes in between', () => {
  assert.strictEqual(shown(diff(text('abc'), text('axbc'))), ' a+x b c');
});

test('what goes stands before what comes', () => {
  assert.strictEqual(shown(diff(text('abcd'), text('axyd'))), ' a-b-c+x+y d');
});

const SHORTEST = [['abcabba', 'cbabac', 5], ['abcdef', 'bcdefa', 2], ['xaxbxc', 'abc', 3], ['abab', 'baba', 2], ['aab', 'b', 2]];
for (const [before, after, least] of SHORTEST) {
  test(`from ${before} to ${after} it takes ${least}`, () => {
    const edits = diff(text(before), text(after));
    assert.strictEqual(changes(edits), least);
    assert.strictEqual(apply(text(before), edits), text(after));
  });
}

test('edge: empty texts', () => {
  assert.deepStrictEqual(diff('', ''), []);
  assert.strictEqual(shown(diff('', text('ab'))), '+a+b');
  assert.strictEqual(apply(text('ab'), diff(text('ab'), '')), '');
});

test('edge: a missing end of the last line', () => {
  assert.strictEqual(shown(diff('a\nb', 'a\nb\n')), ' a-b\\+b');
  assert.strictEqual(apply('a\nb', diff('a\nb', 'a\nb\n')), 'a\nb\n');
  assert.strictEqual(apply('a\nb\n', diff('a\nb\n', 'a\nb')), 'a\nb');
});

test('throws when edits do not fit', () => {
  for (const edits of [[[' ', 'x']], [['-', 'b']], [[' ', 'a'], [' ', 'b'], [' ', 'c']], [], [['?', 'a'], [' ', 'b']]]) {
    assert.throws(() => apply(text('ab'), edits), RangeError);
  }
});

test('edge: large texts', () => {
  const lines = Array.from({ length: 600 }, (_, number) => `${number}\n`);
  const edits = diff(lines.join(''), lines.filter((_, place) => place % 100 !== 7).join(''));
  assert.strictEqual(changes(edits), 6);
});
