import assert from "node:assert/strict";
import { test } from "node:test";
import { total } from "../src/cart.js";

test("total", () => {
  assert.equal(total([{ price: 250, count: 2 }, { price: 100, count: 1 }]), 600);
});

test("edge: nothing in the cart", () => {
  assert.equal(total([]), 0);
});
