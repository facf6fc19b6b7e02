import type { Pair } from "./parse";

export function print(pairs: Pair[]): string {
  return pairs.map(({ key, value }) => `${key}=${value}`).join(";");
}
