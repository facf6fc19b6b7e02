/** Returns a title with single spaces. */
export function tidy(title) {
  return title.trim().replace(/\s+/g, ' ');
}
