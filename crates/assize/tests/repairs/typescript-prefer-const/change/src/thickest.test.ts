import { deepEqual } from "node:assert/strict";
import { describe, it } from "node:test";
import { thickest } from "./shelf";

describe("thickest", () => {
  it("is as it was asked for", () => {
    deepEqual(thickest([{ title: "Emma", pages: 474 }, { title: "Ulysses", pages: 730 }])?.title, "Ulysses");
    deepEqual(thickest([]), undefined);
  });
});
