import { useId } from "react";
import { classes } from "../../util/classes";

type Props = { tone?: "plain" | "strong"; children?: React.ReactNode };

/** Shows a badge. */
export function Badge({ tone = "plain", children }: Props) {
  const id = useId();
  return (
    <div id={id} className={classes("badge", `badge--${tone}`)}>
      {children}
    </div>
  );
}
