import assert from "node:assert/strict";
import { test } from "node:test";
import { area, perimeter } from "../src/shapes.js";

test("rectangle", () => {
  assert.equal(area({ kind: "rectangle", width: 3, height: 4 }), 12);
  assert.equal(perimeter({ kind: "rectangle", width: 3, height: 4 }), 14);
});

test("circle", () => {
  assert.equal(area({ kind: "circle", radius: 1 }), Math.PI);
});

test("edge: zero radius", () => {
  assert.equal(perimeter({ kind: "circle", radius: 0 }), 0);
});
