import assert from "node:assert/strict";
import { test } from "node:test";
import { days } from "./days.js";

test("both ends are included", () => {
  assert.deepEqual(days("2024-05-01", "2024-05-03"), ["2024-05-01", "2024-05-02", "2024-05-03"]);
});

test("across the end of a month", () => {
  assert.deepEqual(days("2024-01-31", "2024-02-01"), ["2024-01-31", "2024-02-01"]);
});

test("across the end of a year", () => {
  assert.deepEqual(days("2023-12-31", "2024-01-01"), ["2023-12-31", "2024-01-01"]);
});

test("edge: single day", () => {
  assert.deepEqual(days("2024-05-01", "2024-05-01"), ["2024-05-01"]);
});

test("edge: range that runs backwards is empty", () => {
  assert.deepEqual(days("2024-05-03", "2024-05-01"), []);
});

test("edge: leap day", () => {
  assert.deepEqual(days("2024-02-28", "2024-03-01"), ["2024-02-28", "2024-02-29", "2024-03-01"]);
  assert.equal(days("2023-02-28", "2023-03-01").length, 2);
});

test("edge: clocks go forward", () => {
  assert.equal(days("2024-03-30", "2024-04-01").length, 3);
});
