import { classes } from "@ui/core/classes";

type Props = { tone?: "plain" | "strong"; children?: React.ReactNode };

/** Shows a calendar. */
export function Calendar({ tone = "plain", children }: Props) {
  return (
    <div className={classes("calendar", `calendar--${tone}`)}>
      {children}
    </div>
  );
}
