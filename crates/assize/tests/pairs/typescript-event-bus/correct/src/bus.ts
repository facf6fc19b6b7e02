/** A function that is called with what an event carries. */
export type Handler<Payload> = (payload: Payload) => void;

/** Tells handlers about events. `Events` maps the name of an event to what it carries. */
export class EventBus<Events extends object> {
  readonly #handlers: { [Name in keyof Events]?: readonly Handler<Events[Name]>[] } = {};

  /** Adds a handler and returns what removes it. */
  on<Name extends keyof Events>(name: Name, handler: Handler<Events[Name]>): () => void {
    const added: Handler<Events[Name]> = (payload) => handler(payload);
    this.#handlers[name] = [...(this.#handlers[name] ?? []), added];
    return () => {
      this.#handlers[name] = this.#handlers[name]?.filter((other) => other !== added);
    };
  }

  /** Calls the handlers of the event and returns how many there were. */
  emit<Name extends keyof Events>(name: Name, payload: Events[Name]): number {
    const handlers = this.#handlers[name] ?? [];
    for (const handler of handlers) {
      handler(payload);
    }
    return handlers.length;
  }
}
