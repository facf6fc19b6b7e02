import { classes } from "../../util/classes";

type Props = { tone?: "plain" | "strong"; children?: React.ReactNode };

/** Shows a collapse. */
export function Collapse({ tone = "plain", children }: Props) {
  return (
    <div className={classes("collapse", `collapse--${tone}`)}>
      {children}
    </div>
  );
}
