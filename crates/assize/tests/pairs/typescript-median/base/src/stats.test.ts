import { deepEqual, equal } from "node:assert/strict";
import { describe, it } from "node:test";
import { mean, median } from "./stats";

describe("mean", () => {
  it("is the sum by the number of values", () => {
    equal(mean([1, 2, 6]), 3);
  });

  it("edge: is undefined for an empty list", () => {
    equal(mean([]), undefined);
  });
});

describe("median", () => {
  it("is the middle of an odd number of values", () => {
    equal(median([3, 1, 2]), 2);
  });

  it("is the mean of the two in the middle", () => {
    equal(median([4, 1, 3, 2]), 2.5);
  });

  it("orders by size", () => {
    equal(median([100, 9, 20]), 20);
    equal(median([5, 10, 1000, 200]), 105);
  });

  it("edge: is undefined for an empty list", () => {
    equal(median([]), undefined);
  });

  it("edge: is a single value itself", () => {
    equal(median([7]), 7);
  });

  it("edge: can be negative", () => {
    equal(median([-1, -10, -2]), -2);
  });

  it("edge: leaves the list alone", () => {
    const values = [3, 1, 2];
    median(values);
    deepEqual(values, [3, 1, 2]);
  });
});
