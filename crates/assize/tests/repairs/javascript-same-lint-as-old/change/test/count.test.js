import assert from "node:assert/strict";
import { test } from "node:test";
import { count } from "../src/cart.js";

test("count", () => {
  assert.equal(count([{ count: 2 }, { count: 1 }]), 3);
});

test("edge: no things", () => {
  assert.equal(count([]), 0);
});
