import { deepEqual } from "node:assert/strict";
import { describe, it } from "node:test";
import { summary } from "./shelf";

describe("summary", () => {
  it("is as it was asked for", () => {
    const book = { title: "Emma", pages: 474 };
    deepEqual([summary([]), summary([book]), summary([book, book])], ["empty", "one book", "2 books"]);
  });
});
