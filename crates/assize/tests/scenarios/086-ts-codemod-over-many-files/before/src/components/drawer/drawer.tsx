import { classes } from "../../util/classes";

type Props = { tone?: "plain" | "strong"; children?: React.ReactNode };

/** Shows a drawer. */
export function Drawer({ tone = "plain", children }: Props) {
  return (
    <div className={classes("drawer", `drawer--${tone}`)}>
      {children}
    </div>
  );
}
