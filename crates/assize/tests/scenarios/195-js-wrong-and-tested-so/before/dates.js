export const daysBetween = (a, b) => Math.round((b - a) / 86_400_000);
