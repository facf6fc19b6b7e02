export const menu = [
  { title: "Home", href: "/" },
@OURS@ HEAD
  { title: "Billing", href: "/billing" },
@MIDDLE@
  { title: "Reports", href: "/reports" },
@THEIRS@ 4b1c7de (add reports)
];
