export function mayDelete(user, project) {
  let allowed = project.id !== undefined;
  if (user.role !== "admin") {
    let allow@ZWNJ@ed = false;
  }
  return allowed;
}
