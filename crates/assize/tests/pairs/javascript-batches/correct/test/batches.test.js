import assert from "node:assert/strict";
import { test } from "node:test";
import { chunks, inBatches } from "../src/batches.js";

test("chunks", () => {
  assert.deepEqual(chunks([1, 2, 3, 4, 5], 2), [[1, 2], [3, 4], [5]]);
});

test("results come in order", async () => {
  const work = (item) => new Promise((resolve) => setTimeout(resolve, 5 - item, item * 10));
  assert.deepEqual(await inBatches([1, 2, 3, 4, 5], 2, work), [10, 20, 30, 40, 50]);
});

test("a batch waits for the one before it", async () => {
  let running = 0;
  let most = 0;
  await inBatches([1, 2, 3, 4, 5, 6], 3, async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
  });
  assert.equal(most, 3);
});

test("edge: error ends it", async () => {
  const begun = [];
  const work = async (item) => {
    begun.push(item);
    throw new Error(`item ${item}`);
  };
  await assert.rejects(inBatches([1, 2, 3], 1, work), /item 1/);
  assert.deepEqual(begun, [1]);
});

test("edge: empty list", async () => {
  assert.deepEqual(await inBatches([], 2, async (item) => item), []);
});

test("edge: zero as batch size", async () => {
  await assert.rejects(inBatches([1], 0, async (item) => item), RangeError);
});

test("edge: chunks of an empty list", () => {
  assert.deepEqual(chunks([], 3), []);
});

test("edge: chunks of zero items", () => {
  assert.throws(() => chunks([1], 0), RangeError);
});
