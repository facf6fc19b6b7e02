export const menu = [
  { title: "Home", href: "/" },
  { title: "Reports", href: "/reports" },
];
