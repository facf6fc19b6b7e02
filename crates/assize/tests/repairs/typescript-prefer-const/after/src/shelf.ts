/** A book. */
export interface Book {
  title: string;
  pages: number;
}

/** Returns the titles of all books. */
export function titles(shelf: readonly Book[]): string[] {
  return shelf.map((book) => book.title);
}

/** Returns the book with the most pages. */
export function thickest(shelf: readonly Book[]): Book | undefined {
  const sorted: Book[] = [...shelf];
  sorted.sort((one: Book, other: Book) => other.pages - one.pages);
  return sorted[0];
}
