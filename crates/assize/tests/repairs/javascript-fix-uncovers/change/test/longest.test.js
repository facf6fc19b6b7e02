import assert from "node:assert/strict";
import { test } from "node:test";
import { longest } from "../src/words.js";

test("longest", () => {
  assert.equal(longest("a bcd ef"), "bcd");
  assert.equal(longest(""), "");
});
