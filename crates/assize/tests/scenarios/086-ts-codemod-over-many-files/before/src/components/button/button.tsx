import { classes } from "../../util/classes";

type Props = { tone?: "plain" | "strong"; children?: React.ReactNode };

/** Shows a button. */
export function Button({ tone = "plain", children }: Props) {
  return (
    <div className={classes("button", `button--${tone}`)}>
      {children}
    </div>
  );
}
