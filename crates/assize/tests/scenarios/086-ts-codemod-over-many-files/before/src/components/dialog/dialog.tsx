import { classes } from "../../util/classes";

type Props = { tone?: "plain" | "strong"; children?: React.ReactNode };

/** Shows a dialog. */
export function Dialog({ tone = "plain", children }: Props) {
  return (
    <div className={classes("dialog", `dialog--${tone}`)}>
      {children}
    </div>
  );
}
