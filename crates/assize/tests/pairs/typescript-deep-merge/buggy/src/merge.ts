/** Settings as they come from JSON. */
export interface Settings {
  [name: string]: unknown;
}

/** Returns `base` with `changes`. */
export function merge(base: Settings, changes: Settings): Settings {
  return assign({ ...base }, changes);
}

function assign(target: Settings, changes: Settings): Settings {
  for (const [name, change] of Object.entries(changes)) {
    const old = target[name];
    if (isSettings(old) && isSettings(change)) {
      assign(old, change);
    } else if (change !== undefined) {
      target[name] = change;
    }
  }
  return target;
}

function isSettings(value: unknown): value is Settings {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
