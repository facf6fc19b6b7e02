import { useId } from "react";
import { classes } from "../../util/classes";

type Props = { tone?: "plain" | "strong"; children?: React.ReactNode };

/** Shows a input. */
export function Input({ tone = "plain", children }: Props) {
  const id = useId();
  return (
    <div id={id} className={classes("input", `input--${tone}`)}>
      {children}
    </div>
  );
}
