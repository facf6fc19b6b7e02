import { classes } from "../../util/classes";

type Props = { tone?: "plain" | "strong"; children?: React.ReactNode };

/** Shows a grid. */
export function Grid({ tone = "plain", children }: Props) {
  return (
    <div className={classes("grid", `grid--${tone}`)}>
      {children}
    </div>
  );
}
