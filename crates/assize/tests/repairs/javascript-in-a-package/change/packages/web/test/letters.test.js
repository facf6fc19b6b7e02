import assert from "node:assert/strict";
import { test } from "node:test";
import { letters } from "../src/words.js";

test("letters", () => {
  assert.equal(letters("ab c"), 3);
  assert.equal(letters(""), 0);
});
