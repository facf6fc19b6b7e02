import { distance } from './distance.js';

/** Returns the command that is nearest to a word, or null. */
export function suggest(word, commands) {
  let best = null;
  let least = Math.ceil([...word].length / 3) + 1;
  for (const command of commands) {
    const edits = distance(word.toLowerCase(), command.toLowerCase());
    if (edits < least) [best, least] = [command, edits];
  }
  return best;
}
