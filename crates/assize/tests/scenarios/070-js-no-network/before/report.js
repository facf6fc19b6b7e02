import moment from "moment";

/** Keeps what happened in the last days and labels it. */
export function recent(entries, days, now = new Date()) {
  const since = moment(now).subtract(days, "days");
  return entries
    .filter((entry) => moment(entry.at).isAfter(since))
    .map((entry) => ({ ...entry, label: moment(entry.at).format("D MMM YYYY") }));
}
