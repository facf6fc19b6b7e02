import { useId } from "react";
import { classes } from "../../util/classes";

type Props = { tone?: "plain" | "strong"; children?: React.ReactNode };

/** Shows a modal. */
export function Modal({ tone = "plain", children }: Props) {
  const id = useId();
  return (
    <div id={id} className={classes("modal", `modal--${tone}`)}>
      {children}
    </div>
  );
}
