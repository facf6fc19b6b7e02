import { distance } from './distance.js';

/** Returns the command that is nearest to a word, or null. */
export function suggest(word, commands) {
  return commands.find((command) => distance(word, command) === 0) ?? null;
}
