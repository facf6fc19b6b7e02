import { expect, it } from "vitest";
import { postOrder } from "./orders";

it("accepts an order", () => {
  expect(postOrder({ items: [{ sku: "A1", qty: 2 }] })).toEqual({ status: 201 });
});

it.each([
  ["no items", { items: [] }, "items"],
  ["half an item", { items: [{ sku: "A1", qty: 0.5 }] }, "items.0.qty"],
  ["no SKU", { items: [{ qty: 1 }] }, "items.0.sku"],
])("refuses %s", (_, body, path) => {
  const { status, error } = postOrder(body);
  expect(status).toBe(400);
  expect(error).toContain(path);
});
