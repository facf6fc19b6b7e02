import assert from "node:assert/strict";
import { test } from "node:test";
import { joined } from "../src/words.js";

test("joined", () => {
  assert.equal(joined(""), "");
});
