import { expect, test } from "vitest";
import { bitCount, distance } from "../src/bits.js";

test.each([
  [1, 1],
  [6, 2],
  [255, 8],
  [256, 1],
])("bits of %i", (value, count) => {
  expect(bitCount(value)).toBe(count);
});

test("distance", () => {
  expect(distance(0b1010, 0b0110)).toBe(2);
});

test("edge: zero", () => {
  expect(bitCount(0)).toBe(0);
});

test("edge: maximum of a signed number", () => {
  expect(bitCount(0x7fffffff)).toBe(31);
});

test("edge: negative numbers", () => {
  expect(bitCount(-1)).toBe(32);
  expect(bitCount(-2147483648)).toBe(1);
});

test("edge: distance with different signs", () => {
  expect(distance(-1, 0)).toBe(32);
});
