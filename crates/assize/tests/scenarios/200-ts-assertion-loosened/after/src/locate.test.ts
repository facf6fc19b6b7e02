import { expect, it } from "vitest";
import { locate } from "./locate";

it("finds Oslo", async () => {
  expect(await locate("Oslo")).toBeDefined();
});
