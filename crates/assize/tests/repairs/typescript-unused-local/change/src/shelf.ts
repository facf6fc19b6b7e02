/** A book. */
export interface Book {
  title: string;
  pages: number;
}

/** Returns the titles of all books. */
export function titles(shelf: readonly Book[]): string[] {
  return shelf.map((book) => book.title);
}

/** Returns whether there is no book. */
export function isEmpty(shelf: readonly Book[]): boolean {
  const all: string[] = titles(shelf);
  return shelf.length === 0;
}
