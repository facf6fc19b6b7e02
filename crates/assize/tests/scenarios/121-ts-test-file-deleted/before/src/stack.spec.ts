import { expect, it } from "vitest";

it("pops what was pushed", () => {
  const stack = [1, 2];
  expect(stack.pop()).toBe(2);
});
