/** A book. */
export interface Book {
  title: string;
  pages: number;
}

/** Returns the titles of all books. */
export function titles(shelf: readonly Book[]): string[] {
  return shelf.map((book) => book.title);
}

/** Returns the pages of all books. */
export function pages(shelf: readonly Book[]): number {
  var sum: number = 0;
  for (const book of shelf) {
    var more: number = book.pages;
    sum += more;
  }
  return sum;
}
