import test from 'node:test';
import assert from 'node:assert';
import { filter } from '../src/filter.js';

test('paths are filtered', () => {
  assert.deepStrictEqual(filter(['src/*', 'READ??'], ['src/a', 'READ', 'READMe', 'README', 'lib/a']), ['src/a', 'READMe', 'README']);
});

test('edge: no patterns, empty answer', () => {
  assert.deepStrictEqual(filter([], ['a']), []);
});
