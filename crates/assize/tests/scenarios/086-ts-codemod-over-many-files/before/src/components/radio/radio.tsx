import { useId } from "react";
import { classes } from "../../util/classes";

type Props = { tone?: "plain" | "strong"; children?: React.ReactNode };

/** Shows a radio. */
export function Radio({ tone = "plain", children }: Props) {
  const id = useId();
  return (
    <div id={id} className={classes("radio", `radio--${tone}`)}>
      {children}
    </div>
  );
}
