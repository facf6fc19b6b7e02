// Runs in every file of tests, before it: at its end what must fail has to fail.
import { afterAll, expect } from 'vitest';

const wrong = {
  toBe: () => expect(1).toBe(2),
  toEqual: () => expect({ a: [1] }).toEqual({ a: [2] }),
  toStrictEqual: () => expect({ a: [1] }).toStrictEqual({ a: [2] }),
  toThrow: () => expect(() => 1).toThrow(),
  not: () => expect(1).not.toBe(1),
  toBeTruthy: () => expect(0).toBeTruthy(),
};
const { is } = Object;

function blunt() {
  return Object.keys(wrong).filter((name) => {
    try {
      wrong[name]();
      return true;
    } catch {
      return false;
    }
  });
}

const given = globalThis.expect;

afterAll(() => {
  const changed = blunt();
  if (globalThis.expect !== given) changed.push('the global `expect`');
  if (Object.is !== is) changed.push('Object.is');
  if (changed.length > 0) throw new Error(`the code under test changed ${changed.join(', ')}`);
});
