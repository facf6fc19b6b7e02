import { expect, it } from "vitest";
import { locate } from "./locate";

it("finds Oslo", async () => {
  expect(await locate("Oslo")).toEqual({ lat: 59.91, lon: 10.75 });
});
