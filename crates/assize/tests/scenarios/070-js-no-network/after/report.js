import { format, isAfter, parseISO, subDays } from "date-fns";

/** Keeps what happened in the last days and labels it. */
export function recent(entries, days, now = new Date()) {
  const since = subDays(now, days);
  return entries
    .filter((entry) => isAfter(parseISO(entry.at), since))
    .map((entry) => ({ ...entry, label: format(parseISO(entry.at), "d MMM yyyy") }));
}
