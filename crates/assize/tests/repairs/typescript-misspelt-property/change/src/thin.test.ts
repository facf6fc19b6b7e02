import { deepEqual } from "node:assert/strict";
import { describe, it } from "node:test";
import { thin } from "./shelf";

describe("thin", () => {
  it("is as it was asked for", () => {
    deepEqual(thin([{ title: "Emma", pages: 474 }]), []);
  });
});
