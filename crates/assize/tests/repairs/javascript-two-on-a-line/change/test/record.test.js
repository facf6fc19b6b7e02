import assert from "node:assert/strict";
import { test } from "node:test";
import { record } from "../src/words.js";

test("record", () => {
  assert.deepEqual(record("letters"), { word: "letters", size: 7, long: true });
});
