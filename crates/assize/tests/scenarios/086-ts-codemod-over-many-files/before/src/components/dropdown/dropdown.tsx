import { classes } from "../../util/classes";

type Props = { tone?: "plain" | "strong"; children?: React.ReactNode };

/** Shows a dropdown. */
export function Dropdown({ tone = "plain", children }: Props) {
  return (
    <div className={classes("dropdown", `dropdown--${tone}`)}>
      {children}
    </div>
  );
}
