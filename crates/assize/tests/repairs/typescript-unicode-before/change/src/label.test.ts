import { deepEqual } from "node:assert/strict";
import { describe, it } from "node:test";
import { label } from "./shelf";

describe("label", () => {
  it("is as it was asked for", () => {
    deepEqual(label({ title: "Emma", pages: 4 }), { sign: "📕", title: "Emma", pages: "größe: 4 📄" });
  });
});
