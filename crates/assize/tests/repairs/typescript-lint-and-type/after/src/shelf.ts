/** A book. */
export interface Book {
  title: string;
  pages: number;
}

/** Returns the titles of all books. */
export function titles(shelf: readonly Book[]): string[] {
  return shelf.map((book) => book.title);
}

/** Returns the mean number of pages. */
export function mean(shelf: readonly Book[]): number {
  const sum: string = shelf.reduce((all: number, book: Book) => all + book.pages, 0);
  return shelf.length === 0 ? 0 : sum / shelf.length;
}
