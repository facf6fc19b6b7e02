export const filters = {
  upper: (text) => text.toUpperCase(),
  trim: (text) => text.trim(),
  slug: (text) =>
    text
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-+|-+$/g, ""),
};
