/** Returns whether a path matches a pattern. */
export function match(pattern, path) {
  let source = '';
  for (const character of pattern) {
    if (character === '*') source += '[^/]*';
    else if (character === '?') source += '[^/]';
    else source += character;
  }
  return new RegExp(`^${source}$`).test(path);
}
