import { expect, it } from "vitest";
import { parse } from "./parse";

it("parses pairs", () => {
  expect(parse("a=1; b=2")).toEqual([
    { key: "a", value: "1" },
    { key: "b", value: "2" },
  ]);
});

it.skip("parses quoted values", () => {
  expect(parse('a="1;2"')).toEqual([{ key: "a", value: "1;2" }]);
});
