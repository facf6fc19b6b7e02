import { describe, expect, it } from "vitest";
import { filterFromHash, filterTodos } from "./filter";

const todos = [
  { id: "1", text: "TODO: buy milk", done: false },
  { id: "2", text: "FIXME the bike", done: true },
];

describe("filter", () => {
  it("reads the hash", () => {
    expect(["", "#open", "#done", "#nonsense"].map(filterFromHash)).toEqual(["all", "open", "done", "all"]);
  });

  it("keeps open todos", () => {
    expect(filterTodos(todos, "open").map((todo) => todo.id)).toEqual(["1"]);
  });

  it("keeps all todos", () => {
    expect(filterTodos(todos, "all")).toBe(todos);
  });
});
