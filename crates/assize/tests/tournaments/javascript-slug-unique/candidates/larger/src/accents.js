const MARKS = /\p{M}/gu;

/** Returns a text without accents. */
export function foldAccents(text) {
  return text.normalize('NFD').replace(MARKS, '');
}
