import { foldAccents } from './accents.js';
import { joinWords } from './words.js';

const LONGEST = 40;
const FALLBACK = 'untitled';

/** Returns the last part of an address for a title. */
export function slugFor(title, taken = new Set()) {
  const words = wordsOf(title);
  const slug = joinWords(words, LONGEST);
  if (!taken.has(slug)) {
    return slug;
  }
  return numbered(words, taken);
}

function wordsOf(title) {
  const folded = foldAccents(title);
  const spelled = folded.replaceAll('&', ' and ');
  const words = spelled.toLowerCase().match(/[a-z0-9]+/g);
  return words ?? [FALLBACK];
}

function numbered(words, taken) {
  let number = 2;
  for (;;) {
    const suffix = `-${number}`;
    const slug = joinWords(words, LONGEST - suffix.length) + suffix;
    if (!taken.has(slug)) {
      return slug;
    }
    number += 1;
  }
}
