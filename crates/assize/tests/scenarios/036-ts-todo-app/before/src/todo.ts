export type Todo = { id: string; text: string; done: boolean };
