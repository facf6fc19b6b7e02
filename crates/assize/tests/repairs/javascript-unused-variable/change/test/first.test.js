import assert from "node:assert/strict";
import { test } from "node:test";
import { first } from "../src/words.js";

test("first", () => {
  assert.equal(first("one two"), "one");
  assert.equal(first(""), undefined);
});
