import { classes } from "../../util/classes";

type Props = { tone?: "plain" | "strong"; children?: React.ReactNode };

/** Shows a header. */
export function Header({ tone = "plain", children }: Props) {
  return (
    <div className={classes("header", `header--${tone}`)}>
      {children}
    </div>
  );
}
