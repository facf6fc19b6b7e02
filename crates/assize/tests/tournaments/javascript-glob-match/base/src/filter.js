import { match } from './glob.js';

/** Returns the paths that match one of the patterns. */
export function filter(patterns, paths) {
  return paths.filter((path) => patterns.some((pattern) => match(pattern, path)));
}
