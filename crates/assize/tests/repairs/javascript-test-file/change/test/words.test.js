import assert from "node:assert/strict";
import { test } from "node:test";
import { shout, words } from "../src/words.js";

test("words", () => {
  assert.deepEqual(words("one  two"), ["one", "two"]);
});

test("edge: no words", () => {
  assert.deepEqual(words(" "), []);
});

test("shout", () => {
  let loud = shout("one two");
  assert.deepEqual(loud, ["ONE", "TWO"]);
});
