/** Formats a date or an ISO day as YYYY-MM-DD, in UTC. */
export function formatDay(value) {
  // A day without a time is parsed as midnight UTC, so it has to be read as UTC as well.
  const date = value instanceof Date ? value : new Date(value);
  const pad = (number) => String(number).padStart(2, "0");
  return `${date.getUTCFullYear()}-${pad(date.getUTCMonth() + 1)}-${pad(date.getUTCDate())}`;
}
