import { deepEqual } from "node:assert/strict";
import { describe, it } from "node:test";
import { titles } from "./shelf";

describe("titles", () => {
  it("are those of the books", () => {
    deepEqual(titles([{ title: "Emma", pages: 474 }]), ["Emma"]);
  });

  it("edge: there are none without books", () => {
    deepEqual(titles([]), []);
  });
});
