import { useState } from "react";
import type { Todo } from "./todo";

export function TodoList({ initialTodos }: { initialTodos: Todo[] }) {
  const [todos, setTodos] = useState(initialTodos);
  const [text, setText] = useState("");

  const addTodo = () => setTodos([...todos, { id: crypto.randomUUID(), text, done: false }]);

  return (
    <section>
      <input placeholder="What needs to be done?" value={text} onChange={(e) => setText(e.target.value)} />
      <button onClick={addTodo}>Add TODO</button>
      <ul>
        {todos.map((todo) => (
          <li key={todo.id}>{todo.text}</li>
        ))}
      </ul>
    </section>
  );
}
