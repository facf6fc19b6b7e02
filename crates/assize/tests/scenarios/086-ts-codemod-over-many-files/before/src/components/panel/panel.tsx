import { useId } from "react";
import { classes } from "../../util/classes";

type Props = { tone?: "plain" | "strong"; children?: React.ReactNode };

/** Shows a panel. */
export function Panel({ tone = "plain", children }: Props) {
  const id = useId();
  return (
    <div id={id} className={classes("panel", `panel--${tone}`)}>
      {children}
    </div>
  );
}
