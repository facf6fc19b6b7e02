import assert from "node:assert/strict";
import { test } from "node:test";
import { isLeapYear } from "./dates.js";

test("2024 is one", () => {
  assert.equal(isLeapYear(2024), true);
});

test("2023 is none", () => {
  assert.equal(isLeapYear(2023), false);
});

test("1900 is one", () => {
  assert.equal(isLeapYear(1900), true);
});
