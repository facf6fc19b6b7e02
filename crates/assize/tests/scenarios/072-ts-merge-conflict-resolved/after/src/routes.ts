export const routes = [
  { path: "/", page: "home" },
  { path: "/audit", page: "audit" },
  { path: "/invites", page: "invites" },
];
