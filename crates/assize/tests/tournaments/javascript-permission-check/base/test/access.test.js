'use strict';

const test = require('node:test');
const assert = require('node:assert');
const { allowed } = require('../lib/access.js');

const ann = { name: 'ann', groups: ['staff', 'editors'] };
const bob = { name: 'bob' };
const rule = (effect, who, actions, path) => ({ effect, who, actions, path });

test('a rule allows', () => {
  const rules = [rule('allow', 'ann', ['read', 'list'], '/docs')];
  assert.ok(allowed(ann, 'read', '/docs/a', rules));
  assert.ok(!allowed(ann, 'write', '/docs/a', rules));
  assert.ok(!allowed(bob, 'read', '/docs/a', rules));
});

test('everybody may be meant', () => {
  assert.ok(allowed(bob, 'read', '/docs', [rule('allow', '*', ['read'], '/docs')]));
});

test('a denial wins wherever it stands', () => {
  const rules = [rule('allow', '*', ['read'], '/docs'), rule('deny', 'bob', ['read'], '/docs/secret')];
  for (const order of [rules, rules.toReversed()]) {
    assert.ok(allowed(bob, 'read', '/docs/a', order));
    assert.ok(!allowed(bob, 'read', '/docs/secret/a', order));
    assert.ok(allowed(ann, 'read', '/docs/secret/a', order));
  }
});

test('groups may be meant', () => {
  const rules = [rule('allow', '@editors', ['write'], '/docs'), rule('deny', '@guests', ['write'], '/')];
  assert.ok(allowed(ann, 'write', '/docs/a', rules));
  assert.ok(!allowed(bob, 'write', '/docs/a', rules));
});

test('a group is no user of that name', () => {
  assert.ok(!allowed({ name: 'editors', groups: [] }, 'read', '/a', [rule('allow', '@editors', ['read'], '/')]));
  assert.ok(!allowed({ name: 'x', groups: ['ann'] }, 'read', '/a', [rule('allow', 'ann', ['read'], '/')]));
});

test('all actions may be meant', () => {
  assert.ok(allowed(ann, 'burn', '/a/b', [rule('allow', 'ann', ['*'], '/a')]));
});

test('edge: a folder has a boundary', () => {
  const rules = [rule('allow', '*', ['read'], '/docs')];
  assert.ok(!allowed(ann, 'read', '/docs2/a', rules));
  assert.ok(!allowed(ann, 'read', '/doc', rules));
  assert.ok(allowed(ann, 'read', '/docs/', rules));
});

test('edge: a slash at the boundary, and the root', () => {
  assert.ok(allowed(ann, 'read', '/docs', [rule('allow', '*', ['read'], '/docs/')]));
  assert.ok(allowed(ann, 'read', '/docs/a', [rule('allow', '*', ['read'], '/docs/')]));
  assert.ok(allowed(ann, 'read', '/', [rule('allow', '*', ['read'], '/')]));
});

test('edge: no rules, empty actions', () => {
  assert.strictEqual(allowed(ann, 'read', '/a', []), false);
  assert.strictEqual(allowed(ann, 'read', '/a', [rule('allow', '*', [], '/')]), false);
});

test('throws on an unknown effect', () => {
  for (const effect of ['Allow', '', undefined, 'toString']) {
    const rules = [rule('deny', '*', ['read'], '/'), rule(effect, 'nobody', ['x'], '/x')];
    assert.throws(() => allowed(ann, 'read', '/a', rules), TypeError);
  }
});
