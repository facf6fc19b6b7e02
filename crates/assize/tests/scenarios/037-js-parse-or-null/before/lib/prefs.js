export const DEFAULTS = { theme: "system", pageSize: 50 };

export function loadPrefs(storage = globalThis.localStorage) {
  return { ...DEFAULTS, ...JSON.parse(storage.getItem("prefs")) };
}

export function savePrefs(prefs, storage = globalThis.localStorage) {
  storage.setItem("prefs", JSON.stringify(prefs));
}
