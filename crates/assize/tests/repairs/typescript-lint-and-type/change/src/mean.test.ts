import { deepEqual } from "node:assert/strict";
import { describe, it } from "node:test";
import { mean } from "./shelf";

describe("mean", () => {
  it("is as it was asked for", () => {
    deepEqual(mean([{ title: "Emma", pages: 4 }, { title: "Ulysses", pages: 8 }]), 6);
  });
});
