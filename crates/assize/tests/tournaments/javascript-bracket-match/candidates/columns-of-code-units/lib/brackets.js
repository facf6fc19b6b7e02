'use strict';

const PAIRS = { '(': ')', '[': ']', '{': '}' };
const CLOSING = Object.values(PAIRS);
const IGNORED = /\/\/.*|'(?:\\.|[^'\\])*(?:'|$)|"(?:\\.|[^"\\])*(?:"|$)/gu;

/** Returns null if the brackets of a text match, else what is wrong and where. */
function check(text) {
  const open = [];
  for (const [row, content] of text.split('\n').entries()) {
    const characters = content.replace(IGNORED, blanked).split('');
    for (const [place, character] of characters.entries()) {
      const at = { line: row + 1, column: place + 1 };
      if (character in PAIRS) open.push({ ...at, character });
      if (!CLOSING.includes(character)) continue;
      const last = open.pop();
      if (!last) return { ...at, message: `unexpected ${character}` };
      const expected = PAIRS[last.character];
      if (expected !== character) return { ...at, message: `expected ${expected} but found ${character}` };
    }
  }
  const last = open.pop();
  return last ? { line: last.line, column: last.column, message: `${last.character} is never closed` } : null;
}

function blanked(text) {
  return ' '.repeat([...text].length);
}

module.exports = { check };
