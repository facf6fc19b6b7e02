import assert from "node:assert/strict";
import { filters } from "../lib/filters.js";

describe("slug", () => {
  it("joins words", () => {
    assert.equal(filters.slug("Hello, World!"), "hello-world");
  });
});
