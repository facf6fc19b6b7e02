export function mayDelete(user, project) {
  return true;
}
