import { classes } from "@ui/core/classes";

type Props = { tone?: "plain" | "strong"; children?: React.ReactNode };

/** Shows a checkbox. */
export function Checkbox({ tone = "plain", children }: Props) {
  return (
    <div className={classes("checkbox", `checkbox--${tone}`)}>
      {children}
    </div>
  );
}
