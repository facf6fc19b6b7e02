/** Returns the last part of an address for a title. */
export function slugFor(title, taken = new Set()) {
  return title.toLowerCase().replaceAll(' ', '-');
}
