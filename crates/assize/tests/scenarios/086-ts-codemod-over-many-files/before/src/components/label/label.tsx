import { useId } from "react";
import { classes } from "../../util/classes";

type Props = { tone?: "plain" | "strong"; children?: React.ReactNode };

/** Shows a label. */
export function Label({ tone = "plain", children }: Props) {
  const id = useId();
  return (
    <div id={id} className={classes("label", `label--${tone}`)}>
      {children}
    </div>
  );
}
