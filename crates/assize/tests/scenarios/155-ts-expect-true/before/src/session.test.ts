import { expect, it } from "vitest";
import { expires } from "./session";

it("expires after eight hours", () => {
  const start = new Date("2026-01-05T08:00:00Z");
  expect(expires(start, 8).getTime() - start.getTime()).toBe(8 * 3_600_000);
});
