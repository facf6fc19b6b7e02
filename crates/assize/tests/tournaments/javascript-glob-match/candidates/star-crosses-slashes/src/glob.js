/** Returns whether a path matches a pattern. */
export function match(pattern, path) {
  return new RegExp(`^${sourceOf(pattern)}$`, 'u').test(path);
}

const PIECE = /(?<=^|\/)(\*\*\/|\*\*$)|\*+|\?|\[(!?)(\]?[^\]]*)\]|[^]/gu;

function sourceOf(pattern) {
  return pattern.replace(PIECE, (piece, any, negated, members) => {
    if (any) return any === '**' ? '.*' : '(?:[^/]+/)*';
    if (piece.startsWith('*')) return '.*';
    if (piece === '?') return '[^/]';
    if (members) return `(?!/)[${negated ? '^' : ''}${members.replace(/[\\\]^[]/g, '\\$&')}]`;
    return piece.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&');
  });
}
