/** A book. */
export interface Book {
  title: string;
  pages: number;
}

/** Returns the titles of all books. */
export function titles(shelf: readonly Book[]): string[] {
  return shelf.map((book) => book.title);
}

/** Returns what a book is shown as. */
export function label(book: Book): { sign: string; title: string; pages: string } {
  const title: string = book.title;
  return { sign: "📕", pages: `größe: ${book.pages} 📄`, title };
}
