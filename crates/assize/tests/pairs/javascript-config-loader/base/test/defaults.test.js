import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULTS } from "../src/config.js";

test("the port is 8080", () => {
  assert.equal(DEFAULTS.port, 8080);
});

test("edge: defaults cannot be changed", () => {
  assert.throws(() => {
    DEFAULTS.port = 1;
  }, TypeError);
});
