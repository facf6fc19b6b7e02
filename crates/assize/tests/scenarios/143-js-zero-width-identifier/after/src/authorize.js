export function mayDelete(user, project) {
  const guest = user.role === "guest@ZWSP@";
  return !guest && (user.role === "admin" || project.open);
}
