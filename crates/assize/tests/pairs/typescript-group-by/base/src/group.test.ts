import { describe, expect, test } from "vitest";
import { groupBy } from "./group.js";

const first = (word: string) => word.slice(0, 1);
const self = (word: string) => word;

describe("groupBy", () => {
  test("groups by the key", () => {
    expect(groupBy(["ant", "bee", "ape"], first)).toEqual({ a: ["ant", "ape"], b: ["bee"] });
  });

  test("keeps the order of the items", () => {
    expect(groupBy([3, 1, 2], () => "all")).toEqual({ all: [3, 1, 2] });
  });

  test("leaves the items alone", () => {
    const items = ["x", "y"];
    groupBy(items, self);
    expect(items).toEqual(["x", "y"]);
  });

  test("edge: empty list", () => {
    expect(Object.keys(groupBy([], self))).toEqual([]);
  });

  test("edge: empty key", () => {
    expect(groupBy([""], self)).toEqual({ "": [""] });
  });

  test("edge: unicode keys", () => {
    expect(groupBy(["größe", "größe", "日"], self)).toEqual({ größe: ["größe", "größe"], 日: ["日"] });
  });

  test("edge: names of the prototype are keys like any other", () => {
    const words = ["constructor", "toString", "hasOwnProperty"];
    expect(Object.keys(groupBy(words, self))).toEqual(words);
  });
});
