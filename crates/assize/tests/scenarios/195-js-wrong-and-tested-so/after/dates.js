export const daysBetween = (a, b) => Math.round((b - a) / 86_400_000);

/** Returns whether February has 29 days in a year. */
export const isLeapYear = (year) => year % 4 === 0;
