export function sessionOf(request, store) {
  console.log("DEBUG HERE !!!", request.cookies);
  debugger;
  const session = store.get(request.cookies.sid) ?? {};
  console.log(">>> session", session);
  return session;
}
