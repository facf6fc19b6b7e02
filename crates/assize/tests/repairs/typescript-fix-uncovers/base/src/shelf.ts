/** A book. */
export interface Book {
  title: string;
  pages: number;
}

/** Returns the titles of all books. */
export function titles(shelf: readonly Book[]): string[] {
  return shelf.map((book) => book.title);
}
