import assert from "node:assert/strict";
import { test } from "node:test";
import { words } from "../src/größe von/all words.js";

test("words", () => {
  assert.deepEqual(words("one  two"), ["one", "two"]);
});

test("edge: no words", () => {
  assert.deepEqual(words(" "), []);
});
