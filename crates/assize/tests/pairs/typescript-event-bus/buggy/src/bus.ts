/** A function that is called with what an event carries. */
export type Handler<Payload> = (payload: Payload) => void;

/** Tells handlers about events. `Events` maps the name of an event to what it carries. */
export class EventBus<Events extends object> {
  readonly #handlers = new Map<keyof Events, Handler<unknown>[]>();

  /** Adds a handler and returns what removes it. */
  on<Name extends keyof Events>(name: Name, handler: Handler<Events[Name]>): () => void {
    const handlers = this.#handlers.get(name) ?? [];
    handlers.push(handler);
    this.#handlers.set(name, handlers);
    return () => {
      const place = handlers.indexOf(handler);
      if (place >= 0) {
        handlers.splice(place, 1);
      }
    };
  }

  /** Calls the handlers of the event and returns how many there were. */
  emit<Name extends keyof Events>(name: Name, payload: Events[Name]): number {
    const handlers = [...(this.#handlers.get(name) ?? [])];
    for (const handler of handlers) {
      handler(payload);
    }
    return handlers.length;
  }
}
