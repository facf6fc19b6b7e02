/** Returns whether a path matches a pattern. */
export function match(pattern, path) {
  const segments = pattern.split('/').map(segmentSource);
  return new RegExp(`^${segments.join('/')}$`, 'u').test(path);
}

/** Returns the regular expression of one segment. */
function segmentSource(segment) {
  if (segment === '**') return '.*';
  return segment
    .replace(/[.+^${}()|]/g, '\\$&')
    .replace(/\*+/g, '[^/]*')
    .replace(/\?/g, '[^/]')
    .replace(/\[!/g, '[^');
}
