import { deepEqual } from "node:assert/strict";
import { describe, it } from "node:test";
import { firstTitle } from "./shelf";

describe("firstTitle", () => {
  it("is as it was asked for", () => {
    deepEqual(firstTitle([{ title: "Emma", pages: 4 }]), "Emma");
  });
});
