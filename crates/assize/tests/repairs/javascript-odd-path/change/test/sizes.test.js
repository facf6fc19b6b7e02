import assert from "node:assert/strict";
import { test } from "node:test";
import { sizes } from "../src/größe von/all words.js";

test("sizes", () => {
  assert.deepEqual(sizes("a bcd"), [1, 3]);
  assert.deepEqual(sizes(""), []);
});
