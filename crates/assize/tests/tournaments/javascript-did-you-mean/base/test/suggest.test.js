import test from 'node:test';
import assert from 'node:assert';
import { suggest } from '../src/suggest.js';

const COMMANDS = ['commit', 'push', 'pull', 'status', 'stash', 'add'];

test('what is right is suggested', () => {
  assert.strictEqual(suggest('push', COMMANDS), 'push');
});

test('nonsense suggests nothing', () => {
  assert.strictEqual(suggest('zzzzzz', COMMANDS), null);
});

test('what is near is suggested', () => {
  assert.strictEqual(suggest('comimt', COMMANDS), 'commit');
  assert.strictEqual(suggest('stats', COMMANDS), 'status');
  assert.strictEqual(suggest('PUSH', COMMANDS), 'push');
});

test('of equally near ones the earlier wins', () => {
  assert.strictEqual(suggest('pulh', ['push', 'pull']), 'push');
  assert.strictEqual(suggest('pulh', ['pull', 'push']), 'pull');
});

test('edge: at the limit and beyond the limit', () => {
  assert.strictEqual(suggest('xuxh', COMMANDS), 'push');
  assert.strictEqual(suggest('axx', COMMANDS), null);
  assert.strictEqual(suggest('adx', COMMANDS), 'add');
});

test('edge: empty word and no commands', () => {
  assert.strictEqual(suggest('', COMMANDS), null);
  assert.strictEqual(suggest('push', []), null);
});
