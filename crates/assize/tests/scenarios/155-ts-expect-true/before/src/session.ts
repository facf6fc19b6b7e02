export const expires = (start: Date, hours: number) => new Date(start.getFullYear(), start.getMonth(), start.getDate(), start.getHours() + hours);
