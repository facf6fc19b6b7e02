import { useEffect, useState } from "react";
import { filterFromHash, filterTodos } from "./filter";
import type { Todo } from "./todo";

function useHash() {
  const [hash, setHash] = useState(window.location.hash);
  useEffect(() => {
    const update = () => setHash(window.location.hash);
    window.addEventListener("hashchange", update);
    return () => window.removeEventListener("hashchange", update);
  }, []);
  return hash;
}

export function TodoList({ initialTodos }: { initialTodos: Todo[] }) {
  const [todos, setTodos] = useState(initialTodos);
  const [text, setText] = useState("");
  const filter = filterFromHash(useHash());

  const addTodo = () => setTodos([...todos, { id: crypto.randomUUID(), text, done: false }]);

  return (
    <section>
      <input placeholder="What needs to be done?" value={text} onChange={(e) => setText(e.target.value)} />
      <button onClick={addTodo}>Add TODO</button>
      <nav>
        <a href="#">all</a> <a href="#open">open</a> <a href="#done">done</a>
      </nav>
      <ul>
        {filterTodos(todos, filter).map((todo) => (
          <li key={todo.id}>{todo.text}</li>
        ))}
      </ul>
    </section>
  );
}
