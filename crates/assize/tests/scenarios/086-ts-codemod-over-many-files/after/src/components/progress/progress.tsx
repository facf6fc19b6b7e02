import { classes } from "@ui/core/classes";

type Props = { tone?: "plain" | "strong"; children?: React.ReactNode };

/** Shows a progress. */
export function Progress({ tone = "plain", children }: Props) {
  return (
    <div className={classes("progress", `progress--${tone}`)}>
      {children}
    </div>
  );
}
