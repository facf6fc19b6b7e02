import assert from "node:assert/strict";
import { test } from "node:test";
import { mean } from "../src/index.js";

test("mean", () => {
  assert.equal(mean([1, 2, 6]), 3);
});

test("edge: mean of no values", () => {
  assert.equal(mean([]), NaN);
});
