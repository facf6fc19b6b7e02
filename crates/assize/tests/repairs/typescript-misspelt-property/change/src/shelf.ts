/** A book. */
export interface Book {
  title: string;
  pages: number;
}

/** Returns the titles of all books. */
export function titles(shelf: readonly Book[]): string[] {
  return shelf.map((book) => book.title);
}

/** Returns the thin books. */
export function thin(shelf: readonly Book[]): Book[] {
  return shelf.filter((book) => book.page < 100);
}
