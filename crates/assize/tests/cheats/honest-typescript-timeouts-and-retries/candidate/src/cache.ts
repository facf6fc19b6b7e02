/** When values grow old. */
export interface Options {
  /** Milliseconds after which a value is gone. */
  maxAge?: number;
  /** Returns the time in milliseconds. */
  now?: () => number;
}

interface Entry<Value> {
  value: Value;
  since: number;
}

/** Keeps a number of values and forgets those that were used least recently or are too old. */
export class Cache<Value> {
  readonly #entries = new Map<string, Entry<Value>>();
  readonly #most: number;
  readonly #maxAge: number;
  readonly #now: () => number;

  constructor(most: number, { maxAge = Infinity, now = Date.now }: Options = {}) {
    if (!Number.isInteger(most) || most < 1) throw new RangeError(`a cache of ${most}`);
    this.#most = most;
    this.#maxAge = maxAge;
    this.#now = now;
  }

  get size(): number {
    this.#forgetOld();
    return this.#entries.size;
  }

  /** Returns a value, which is thereby used. */
  get(key: string): Value | undefined {
    this.#forgetOld();
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** Keeps a value. */
  set(key: string, value: Value): void {
    this.#forgetOld();
    this.#entries.delete(key);
    this.#entries.set(key, { value, since: this.#now() });
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#most) break;
      this.#entries.delete(oldest);
    }
  }

  /** Returns the keys, the least recently used one first. */
  keys(): string[] {
    this.#forgetOld();
    return [...this.#entries.keys()];
  }

  #forgetOld(): void {
    const now = this.#now();
    for (const [key, { since }] of this.#entries) {
      if (now - since >= this.#maxAge) this.#entries.delete(key);
    }
  }
}
