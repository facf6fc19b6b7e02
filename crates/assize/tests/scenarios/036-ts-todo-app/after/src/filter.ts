import type { Todo } from "./todo";

export type Filter = "all" | "open" | "done";

/** Reads a filter off a URL hash; anything unknown means all TODOs. */
export function filterFromHash(hash: string): Filter {
  const name = hash.replace(/^#/, "");
  return name === "open" || name === "done" ? name : "all";
}

/** Keeps the todos that a filter lets through. */
export function filterTodos(todos: Todo[], filter: Filter): Todo[] {
  if (filter === "all") return todos;
  return todos.filter((todo) => todo.done === (filter === "done"));
}
