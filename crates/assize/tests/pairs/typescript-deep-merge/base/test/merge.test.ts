import assert from "node:assert/strict";
import { test } from "node:test";
import { merge } from "../src/merge.js";

test("changes win", () => {
  assert.deepEqual(merge({ a: 1, b: 2 }, { b: 3 }), { a: 1, b: 3 });
});

test("objects are merged at every depth", () => {
  assert.deepEqual(merge({ a: { b: { c: 1, d: 2 } } }, { a: { b: { d: 3 } } }), { a: { b: { c: 1, d: 3 } } });
});

test("lists are replaced", () => {
  assert.deepEqual(merge({ a: [1, 2, 3] }, { a: [4] }), { a: [4] });
});

test("an object replaces a text", () => {
  assert.deepEqual(merge({ a: "x" }, { a: { b: 1 } }), { a: { b: 1 } });
});

test("edge: empty changes", () => {
  assert.deepEqual(merge({ a: { b: 1 } }, {}), { a: { b: 1 } });
});

test("edge: empty base", () => {
  assert.deepEqual(merge({}, { a: { b: 1 } }), { a: { b: 1 } });
});

test("edge: null replaces an object", () => {
  assert.deepEqual(merge({ a: { b: 1 } }, { a: null }), { a: null });
});

test("edge: undefined is no change", () => {
  assert.deepEqual(merge({ a: 1 }, { a: undefined }), { a: 1 });
});

test("edge: zero, false and empty text are changes", () => {
  assert.deepEqual(merge({ a: 1, b: true, c: "x" }, { a: 0, b: false, c: "" }), { a: 0, b: false, c: "" });
});

test("edge: arguments are left alone", () => {
  const base = { a: { b: { c: 1 } } };
  const changes = { a: { b: { d: 2 } } };
  merge(base, changes);
  assert.deepEqual(base, { a: { b: { c: 1 } } });
  assert.deepEqual(changes, { a: { b: { d: 2 } } });
});
