import assert from "node:assert/strict";
import { test } from "node:test";
import { scale as scaleBy1 } from "../legacy/module_01.js";
import { scale as scaleBy25 } from "../legacy/module_25.js";

test("scale", () => {
  assert.equal(scaleBy1(3), 3);
  assert.equal(scaleBy25(2), 50);
});

test("edge: zero", () => {
  assert.equal(scaleBy25(0), 0);
});
