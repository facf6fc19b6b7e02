import { expect, test } from "bun:test";
import { nextOrder, sortRows } from "./table";

test("sorts by created", () => {
  const rows = [
    { name: "a", created: "2026-01-02" },
    { name: "b", created: "2026-03-01" },
  ];
  const order = nextOrder({ column: "name", descending: false }, "created");
  expect(sortRows(rows, order).map((row) => row.name)).toEqual(["b", "a"]);
});
