const LONGEST = 40;

/** Returns the last part of an address for a title. */
export function slugFor(title, taken = new Set()) {
  const plain = title.normalize('NFD').replace(/\p{M}/gu, '').replaceAll('&', ' and ').toLowerCase();
  const words = plain.match(/[a-z0-9]+/g) ?? ['untitled'];
  let slug = cut(words, LONGEST);
  for (let number = 2; taken.has(slug); number += 1) {
    slug = `${cut(words, LONGEST - `-${number}`.length)}-${number}`;
  }
  return slug;
}

function cut(words, longest) {
  let slug = words[0].slice(0, longest);
  for (const word of words.slice(1)) {
    if (slug.length + 1 + word.length > longest) break;
    slug += `-${word}`;
  }
  return slug;
}
