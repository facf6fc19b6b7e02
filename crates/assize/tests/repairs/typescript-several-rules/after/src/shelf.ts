/** A book. */
export interface Book {
  title: string;
  pages: number;
}

/** Returns the titles of all books. */
export function titles(shelf: readonly Book[]): string[] {
  return shelf.map((book) => book.title);
}

/** Returns how many books there are, in words. */
export function summary(shelf: readonly Book[]): string {
  let first: Book | undefined;
  shelf.forEach((book: Book) => {
    first ??= book;
  });
  if (!!first === false) {return "empty";}
  return shelf.length === 1 ? "one book" : `${shelf.length  } books`;
}
