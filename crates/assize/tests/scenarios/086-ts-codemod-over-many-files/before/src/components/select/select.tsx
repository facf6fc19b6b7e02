import { classes } from "../../util/classes";

type Props = { tone?: "plain" | "strong"; children?: React.ReactNode };

/** Shows a select. */
export function Select({ tone = "plain", children }: Props) {
  return (
    <div className={classes("select", `select--${tone}`)}>
      {children}
    </div>
  );
}
