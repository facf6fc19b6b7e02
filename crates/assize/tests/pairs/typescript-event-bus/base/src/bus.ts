/** A function that is called with what an event carries. */
export type Handler<Payload> = (payload: Payload) => void;

/** Tells handlers about events. `Events` maps the name of an event to what it carries. */
export class EventBus<Events extends object> {
  /** Adds a handler and returns what removes it. */
  on<Name extends keyof Events>(name: Name, handler: Handler<Events[Name]>): () => void {
    throw new Error("not written yet");
  }

  /** Calls the handlers of the event and returns how many there were. */
  emit<Name extends keyof Events>(name: Name, payload: Events[Name]): number {
    throw new Error("not written yet");
  }
}
