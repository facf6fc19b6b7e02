const empty = {};

export function sessionOf(request, store) {
  return store.get(request.cookies.sid) ?? empty;
}
