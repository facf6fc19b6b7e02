import assert from "node:assert/strict";
import { test } from "node:test";
import { spread, variance } from "../src/index.js";

test("variance", () => {
  assert.equal(variance([2, 4, 4, 4, 5, 5, 7, 9]), 4);
});

test("spread", () => {
  assert.equal(spread([3, -2, 10]), 12);
});

test("edge: single value", () => {
  assert.equal(variance([5]), 0);
  assert.equal(spread([5]), 0);
});

test("edge: no values", () => {
  assert.equal(variance([]), NaN);
  assert.equal(spread([]), NaN);
});

test("edge: negative values", () => {
  assert.equal(variance([-1, -3]), 1);
  assert.equal(spread([-1, -3]), 2);
});
