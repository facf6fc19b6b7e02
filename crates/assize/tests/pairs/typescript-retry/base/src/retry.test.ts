import assert from "node:assert/strict";
import { test } from "node:test";
import { retry } from "./retry.js";

/** Fails so many times, then succeeds. */
function failing(times: number): (attempt: number) => Promise<string> {
  return async (attempt) => {
    if (attempt <= times) {
      throw new Error(`attempt ${attempt}`);
    }
    return `done at ${attempt}`;
  };
}

test("success at once", async () => {
  assert.equal(await retry(failing(0), 3, 1), "done at 1");
});

test("success after failures", async () => {
  assert.equal(await retry(failing(2), 5, 1), "done at 3");
});

test("stops after a success", async () => {
  let calls = 0;
  await retry(async () => void (calls += 1), 5, 1);
  assert.equal(calls, 1);
});

test("edge: success at the last attempt", async () => {
  assert.equal(await retry(failing(2), 3, 1), "done at 3");
});

test("edge: all attempts fail", async () => {
  await assert.rejects(retry(failing(9), 3, 1), /attempt 3/);
});

test("edge: one attempt that fails", async () => {
  await assert.rejects(retry(failing(9), 1, 1), /attempt 1/);
});

test("edge: zero attempts", async () => {
  await assert.rejects(retry(failing(0), 0, 1), RangeError);
});
