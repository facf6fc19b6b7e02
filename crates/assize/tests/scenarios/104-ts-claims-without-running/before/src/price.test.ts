import { expect, it } from "vitest";
import { formatPrice } from "./price";

it("formats whole dollars", () => {
  expect(formatPrice(12)).toBe("$12");
});
