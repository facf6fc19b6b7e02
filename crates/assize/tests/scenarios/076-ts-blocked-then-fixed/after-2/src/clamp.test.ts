import { expect, it } from "vitest";
import { clamp } from "./clamp";

it("keeps what is inside", () => {
  expect(clamp(5, 0, 10)).toBe(5);
});

it("cuts what is outside", () => {
  expect([clamp(-1, 0, 10), clamp(11, 0, 10)]).toEqual([0, 10]);
});

it("refuses an empty range", () => {
  expect(() => clamp(1, 2, 0)).toThrow(RangeError);
});
