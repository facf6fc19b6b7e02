import { useId } from "react";
import { classes } from "@ui/core/classes";

type Props = { tone?: "plain" | "strong"; children?: React.ReactNode };

/** Shows a popover. */
export function Popover({ tone = "plain", children }: Props) {
  const id = useId();
  return (
    <div id={id} className={classes("popover", `popover--${tone}`)}>
      {children}
    </div>
  );
}
