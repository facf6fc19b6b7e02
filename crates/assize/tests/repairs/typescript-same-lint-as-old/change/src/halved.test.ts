import { deepEqual } from "node:assert/strict";
import { describe, it } from "node:test";
import { halved } from "./legacy";

describe("halved", () => {
  it("is as it was asked for", () => {
    deepEqual(halved(4), 2);
    deepEqual(halved(0), 0);
  });
});
