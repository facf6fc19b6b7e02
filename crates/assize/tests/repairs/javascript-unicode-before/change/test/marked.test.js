import assert from "node:assert/strict";
import { test } from "node:test";
import { marked } from "../src/words.js";

test("marked", () => {
  assert.equal(marked("elm"), "🌿 elm");
  assert.equal(marked("beech"), "🌳 beech");
});
