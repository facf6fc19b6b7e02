import assert from "node:assert/strict";
import { test } from "node:test";
import { TimeoutError } from "./errors.js";

test("a timeout has its own name", () => {
  assert.equal(new TimeoutError("late").name, "TimeoutError");
});

test("edge: a timeout without message", () => {
  assert.equal(new TimeoutError().message, "");
});
