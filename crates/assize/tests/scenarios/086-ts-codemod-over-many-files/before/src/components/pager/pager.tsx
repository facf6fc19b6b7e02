import { useId } from "react";
import { classes } from "../../util/classes";

type Props = { tone?: "plain" | "strong"; children?: React.ReactNode };

/** Shows a pager. */
export function Pager({ tone = "plain", children }: Props) {
  const id = useId();
  return (
    <div id={id} className={classes("pager", `pager--${tone}`)}>
      {children}
    </div>
  );
}
