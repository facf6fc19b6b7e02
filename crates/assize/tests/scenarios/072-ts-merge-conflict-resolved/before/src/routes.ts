export const routes = [
  { path: "/", page: "home" },
  { path: "/invites", page: "invites" },
];
