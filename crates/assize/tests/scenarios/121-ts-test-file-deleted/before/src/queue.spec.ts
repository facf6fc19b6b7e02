import { expect, it } from "vitest";
import { Queue } from "./queue";

it("is first in, first out", () => {
  const queue = new Queue();
  queue.push("a");
  queue.push("b");
  expect(queue.shift()).toBe("a");
});

it("is empty at first", () => {
  const queue = new Queue();
  expect(queue.shift()).toBeUndefined();
});
