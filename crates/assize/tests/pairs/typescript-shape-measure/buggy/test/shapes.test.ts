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

test("triangle", () => {
  assert.equal(area({ kind: "triangle", a: 3, b: 4, c: 5 }), 6);
  assert.equal(perimeter({ kind: "triangle", a: 3, b: 4, c: 5 }), 12);
});

test("order of the sides makes no difference", () => {
  assert.equal(area({ kind: "triangle", a: 5, b: 3, c: 4 }), 6);
});

test("edge: no triangle", () => {
  assert.equal(area({ kind: "triangle", a: 1, b: 1, c: 9 }), 0);
});

test("edge: flat triangle", () => {
  assert.equal(area({ kind: "triangle", a: 1, b: 2, c: 3 }), 0);
});

test("edge: zero radius", () => {
  assert.equal(perimeter({ kind: "circle", radius: 0 }), 0);
});
