/** There is less in stock than is wanted. */
export class ShortError extends Error {
  constructor(missing) {
    super(`missing: ${Object.keys(missing).join(', ')}`);
    this.name = 'ShortError';
    this.missing = missing;
  }
}
