import { ShortageError as ShortError } from './errors.js';

/** How many there are of each article. */
export class Stock {
  #counts = new Map();
  #open = new Map();
  #next = 1;

  /** Adds articles. */
  add(sku, count) {
    this.#counts.set(sku, this.onHand(sku) + count);
  }

  /** Returns how many there are. */
  onHand(sku) {
    return this.#counts.get(sku) ?? 0;
  }

  /** Returns how many there are that are not reserved. */
  available(sku) {
    return [...this.#open.values()].reduce((left, wanted) => left - (wanted.get(sku) ?? 0), this.onHand(sku));
  }

  /** Reserves all lines or nothing. */
  reserve(lines) {
    const wanted = summed(lines);
    const short = [...wanted].filter(([sku, count]) => count > this.available(sku));
    if (short.length > 0) {
      throw new ShortError(Object.fromEntries(short.map(([sku, count]) => [sku, count - this.available(sku)])));
    }
    const id = `r${this.#next++}`;
    this.#open.set(id, wanted);
    return id;
  }

  /** Gives back what was reserved. */
  release(id) {
    this.#close(id);
  }

  /** Takes what was reserved out of the stock. */
  ship(id) {
    for (const [sku, count] of this.#close(id)) this.add(sku, -count);
  }

  #close(id) {
    const wanted = this.#open.get(id);
    if (!wanted) throw new RangeError(`no open reservation: ${id}`);
    this.#open.delete(id);
    return wanted;
  }
}

function summed(lines) {
  const wanted = new Map();
  for (const { sku, count } of lines) {
    if (!Number.isInteger(count) || count < 1) throw new RangeError(`no count: ${count}`);
    wanted.set(sku, (wanted.get(sku) ?? 0) + count);
  }
  if (wanted.size === 0) throw new RangeError('nothing to reserve');
  return wanted;
}
