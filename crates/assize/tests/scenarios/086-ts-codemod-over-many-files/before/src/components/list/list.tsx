import { classes } from "../../util/classes";

type Props = { tone?: "plain" | "strong"; children?: React.ReactNode };

/** Shows a list. */
export function List({ tone = "plain", children }: Props) {
  return (
    <div className={classes("list", `list--${tone}`)}>
      {children}
    </div>
  );
}
