/** When values grow old. */
export interface Options {
  maxAge?: number;
  now?: () => number;
}

/** Keeps a number of values and forgets those that were used least recently or are too old. */
export class Cache<Value> {
  readonly #values = new Map<string, { value: Value; since: number }>();
  readonly #most: number;
  readonly #maxAge: number;
  readonly #now: () => number;

  constructor(most: number, { maxAge = Infinity, now = Date.now }: Options = {}) {
    this.#most = most;
    this.#maxAge = maxAge;
    this.#now = now;
  }

  get size(): number {
    return this.#values.size;
  }

  /** Returns a value, which is thereby used. */
  get(key: string): Value | undefined {
    const entry = this.#values.get(key);
    if (entry && this.#now() - entry.since > this.#maxAge) this.#values.delete(key);
    return entry?.value;
  }

  /** Keeps a value. */
  set(key: string, value: Value): void {
    this.#values.set(key, { value, since: this.#now() });
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
