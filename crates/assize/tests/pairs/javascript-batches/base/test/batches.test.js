import assert from "node:assert/strict";
import { test } from "node:test";
import { chunks } from "../src/batches.js";

test("chunks", () => {
  assert.deepEqual(chunks([1, 2, 3, 4, 5], 2), [[1, 2], [3, 4], [5]]);
});

test("edge: chunks of an empty list", () => {
  assert.deepEqual(chunks([], 3), []);
});

test("edge: chunks of zero items", () => {
  assert.throws(() => chunks([1], 0), RangeError);
});
