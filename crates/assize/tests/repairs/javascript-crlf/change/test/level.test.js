import assert from "node:assert/strict";
import { test } from "node:test";
import { level } from "../src/log.js";

test("level", () => {
  assert.equal(level("info: started"), "info");
});

test("edge: no level", () => {
  assert.equal(level("started"), "");
});
