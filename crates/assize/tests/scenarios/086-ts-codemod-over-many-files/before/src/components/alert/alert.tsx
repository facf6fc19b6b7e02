import { useId } from "react";
import { classes } from "../../util/classes";

type Props = { tone?: "plain" | "strong"; children?: React.ReactNode };

/** Shows a alert. */
export function Alert({ tone = "plain", children }: Props) {
  const id = useId();
  return (
    <div id={id} className={classes("alert", `alert--${tone}`)}>
      {children}
    </div>
  );
}
