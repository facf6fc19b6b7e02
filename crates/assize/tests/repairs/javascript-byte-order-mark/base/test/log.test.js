import assert from "node:assert/strict";
import { test } from "node:test";
import { line } from "../src/log.js";

test("line", () => {
  assert.equal(line("info", "started"), "info: started");
});

test("edge: no text", () => {
  assert.equal(line("info", ""), "info: ");
});
