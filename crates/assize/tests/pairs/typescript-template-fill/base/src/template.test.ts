import assert from "node:assert/strict";
import { test } from "node:test";
import { fill } from "./template.js";

test("one placeholder", () => {
  assert.equal(fill("Dear {{name}},", { name: "Ada" }), "Dear Ada,");
});

test("several placeholders", () => {
  assert.equal(fill("{{a}}{{b}}{{a}}", { a: "1", b: "2" }), "121");
});

test("unknown placeholders stay", () => {
  assert.equal(fill("{{who}} and {{name}}", { name: "Ada" }), "{{who}} and Ada");
});

test("edge: empty template", () => {
  assert.equal(fill("", { name: "Ada" }), "");
});

test("edge: empty value", () => {
  assert.equal(fill("[{{name}}]", { name: "" }), "[]");
});

test("edge: unicode", () => {
  assert.equal(fill("{{größe}} 日", { größe: "長い" }), "長い 日");
});

test("edge: dollar signs have no meaning", () => {
  assert.equal(fill("{{price}}", { price: "$& $1" }), "$& $1");
});

test("edge: value contains another placeholder", () => {
  assert.equal(fill("{{a}} {{b}}", { a: "{{b}}", b: "x" }), "{{b}} x");
});

test("edge: value contains its own placeholder", () => {
  assert.equal(fill("{{name}}", { name: "{{name}}!" }), "{{name}}!");
});
