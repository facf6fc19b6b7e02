export const DEFAULTS = { theme: "system", pageSize: 50 };

export function loadPrefs(storage = globalThis.localStorage) {
  try {
    return { ...DEFAULTS, ...JSON.parse(storage.getItem("prefs")) };
  } catch {
    // Private mode refuses access, and an older version may have left broken JSON.
    return { ...DEFAULTS };
  }
}

/** Returns whether the preferences could be kept. */
export function savePrefs(prefs, storage = globalThis.localStorage) {
  try {
    storage.setItem("prefs", JSON.stringify(prefs));
    return true;
  } catch {
    return false;
  }
}
