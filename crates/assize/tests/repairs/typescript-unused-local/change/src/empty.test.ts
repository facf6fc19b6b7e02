import { deepEqual } from "node:assert/strict";
import { describe, it } from "node:test";
import { isEmpty } from "./shelf";

describe("isEmpty", () => {
  it("is as it was asked for", () => {
    deepEqual(isEmpty([]), true);
  });
});
