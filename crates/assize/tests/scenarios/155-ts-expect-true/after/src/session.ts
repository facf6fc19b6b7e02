export const expires = (start: Date, hours: number) => new Date(start.getTime() + hours * 3_600_000);
