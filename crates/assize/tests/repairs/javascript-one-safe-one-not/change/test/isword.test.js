import assert from "node:assert/strict";
import { test } from "node:test";
import { isWord } from "../src/words.js";

test("isWord", () => {
  assert.equal(isWord("one"), true);
  assert.equal(isWord("one", "two"), false);
  assert.equal(isWord(1), false);
});
