import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULTS, loadPrefs, savePrefs } from "../lib/prefs.js";

const fakeStorage = (value) => ({
  getItem: () => value,
  setItem(_, next) {
    value = next;
  },
});

const broken = {
  getItem() {
    throw new Error("SecurityError");
  },
  setItem() {
    throw new Error("QuotaExceededError");
  },
};

test("round trip", () => {
  const storage = fakeStorage(null);
  assert.equal(savePrefs({ theme: "dark", pageSize: 10 }, storage), true);
  assert.deepEqual(loadPrefs(storage), { theme: "dark", pageSize: 10 });
});

test("falls back on broken JSON", () => {
  assert.deepEqual(loadPrefs(fakeStorage("{")), DEFAULTS);
});

test("falls back when storage throws", () => {
  assert.deepEqual(loadPrefs(broken), DEFAULTS);
  assert.equal(savePrefs({}, broken), false);
});
