/** Settings as they come from JSON. */
export interface Settings {
  [name: string]: unknown;
}

/** Returns `base` with `changes`. */
export function merge(base: Settings, changes: Settings): Settings {
  throw new Error("not written yet");
}
