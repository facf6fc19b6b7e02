import { deepEqual } from "node:assert/strict";
import { describe, it } from "node:test";
import { pages } from "./shelf";

describe("pages", () => {
  it("is as it was asked for", () => {
    deepEqual(pages([{ title: "Emma", pages: 474 }, { title: "Ulysses", pages: 730 }]), 1204);
    deepEqual(pages([]), 0);
  });
});
