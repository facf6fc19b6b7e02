import assert from "node:assert/strict";
import { test } from "node:test";
import { formatDay } from "../lib/formatDay.js";

test("formats an ISO day", () => {
  assert.equal(formatDay("2026-03-01"), "2026-03-01");
});

test("pads month and day", () => {
  assert.equal(formatDay("2026-01-05"), "2026-01-05");
});
