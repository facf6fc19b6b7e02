import { expect, it } from "vitest";
import { postOrder } from "./orders";

it("accepts an order", () => {
  expect(postOrder({ items: [{ sku: "A1", qty: 2 }] })).toEqual({ status: 201 });
});
