import assert from "node:assert/strict";
import { test } from "node:test";
import { TimeoutError } from "./errors.js";
import { waitFor } from "./wait.js";

test("looks until the condition holds", async () => {
  let left = 3;
  assert.equal(await waitFor(() => --left === 0, { interval: 1 }), 3);
});

test("interval is ten milliseconds if not given", async () => {
  const start = Date.now();
  let left = 4;
  await waitFor(() => --left === 0);
  assert.ok(Date.now() - start >= 30);
});

test("edge: true at once", async () => {
  assert.equal(await waitFor(() => true, { interval: 1 }), 1);
});

test("edge: never true", async () => {
  await assert.rejects(waitFor(() => false, { interval: 1, looks: 3 }), TimeoutError);
});

test("edge: condition throws", async () => {
  const condition = () => {
    throw new RangeError("broken");
  };
  await assert.rejects(waitFor(condition, { interval: 1 }), RangeError);
});
