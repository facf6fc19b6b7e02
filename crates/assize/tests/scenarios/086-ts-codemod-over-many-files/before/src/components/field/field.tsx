import { useId } from "react";
import { classes } from "../../util/classes";

type Props = { tone?: "plain" | "strong"; children?: React.ReactNode };

/** Shows a field. */
export function Field({ tone = "plain", children }: Props) {
  const id = useId();
  return (
    <div id={id} className={classes("field", `field--${tone}`)}>
      {children}
    </div>
  );
}
