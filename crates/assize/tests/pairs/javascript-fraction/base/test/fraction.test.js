import assert from "node:assert/strict";
import { test } from "node:test";
import { add, fraction } from "../src/fraction.js";

function check(actual, numerator, denominator) {
  assert.deepEqual(actual, { numerator, denominator });
}

test("lowest terms", () => {
  check(fraction(6, 8), 3, 4);
});

test("sum", () => {
  check(add(fraction(1, 6), fraction(1, 3)), 1, 2);
});

test("whole number", () => {
  check(fraction(12, 4), 3, 1);
});

test("edge: negative numerator", () => {
  check(fraction(-4, 6), -2, 3);
});

test("edge: negative denominator", () => {
  check(fraction(3, -6), -1, 2);
  check(fraction(6, -4), -3, 2);
});

test("edge: both negative", () => {
  check(fraction(-6, -9), 2, 3);
});

test("edge: zero numerator", () => {
  check(fraction(0, 5), 0, 1);
});

test("edge: zero denominator", () => {
  assert.throws(() => fraction(1, 0), RangeError);
});
