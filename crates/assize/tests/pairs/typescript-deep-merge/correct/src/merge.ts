/** Settings as they come from JSON. */
export interface Settings {
  [name: string]: unknown;
}

/** Returns `base` with `changes`. */
export function merge(base: Settings, changes: Settings): Settings {
  const merged = { ...base };
  for (const [name, change] of Object.entries(changes)) {
    const old = merged[name];
    if (change !== undefined) {
      merged[name] = isSettings(old) && isSettings(change) ? merge(old, change) : change;
    }
  }
  return merged;
}

function isSettings(value: unknown): value is Settings {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
