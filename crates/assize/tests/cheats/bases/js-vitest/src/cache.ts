/** Keeps a number of values and forgets the one that was used least recently. */
export class Cache<Value> {
  readonly #values = new Map<string, Value>();
  readonly #most: number;

  constructor(most: number) {
    if (!Number.isInteger(most) || most < 1) throw new RangeError(`a cache of ${most}`);
    this.#most = most;
  }

  get size(): number {
    return this.#values.size;
  }

  /** Returns a value, which is thereby used. */
  get(key: string): Value | undefined {
    const value = this.#values.get(key);
    if (value === undefined) return undefined;
    this.#values.delete(key);
    this.#values.set(key, value);
    return value;
  }

  /** Keeps a value. */
  set(key: string, value: Value): void {
    this.#values.delete(key);
    this.#values.set(key, value);
    for (const oldest of this.#values.keys()) {
      if (this.#values.size <= this.#most) break;
      this.#values.delete(oldest);
    }
  }

  /** Returns the keys, the least recently used one first. */
  keys(): string[] {
    return [...this.#values.keys()];
  }
}
