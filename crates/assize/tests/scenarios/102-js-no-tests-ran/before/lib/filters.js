export const filters = {
  upper: (text) => text.toUpperCase(),
  trim: (text) => text.trim(),
};
