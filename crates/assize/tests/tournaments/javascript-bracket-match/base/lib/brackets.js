'use strict';

const PAIRS = { '(': ')', '[': ']', '{': '}' };

/** Returns null if the brackets of a text match, else what is wrong and where. */
function check(text) {
  const opening = [...text].filter((character) => character in PAIRS).length;
  const closing = [...text].filter((character) => Object.values(PAIRS).includes(character)).length;
  return opening === closing ? null : { line: 1, column: 1, message: 'unbalanced' };
}

module.exports = { check };
