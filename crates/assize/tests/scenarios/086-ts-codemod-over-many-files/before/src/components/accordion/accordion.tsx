import { useId } from "react";
import { classes } from "../../util/classes";

type Props = { tone?: "plain" | "strong"; children?: React.ReactNode };

/** Shows a accordion. */
export function Accordion({ tone = "plain", children }: Props) {
  const id = useId();
  return (
    <div id={id} className={classes("accordion", `accordion--${tone}`)}>
      {children}
    </div>
  );
}
