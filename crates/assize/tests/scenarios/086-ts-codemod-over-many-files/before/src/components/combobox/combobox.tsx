import { classes } from "../../util/classes";

type Props = { tone?: "plain" | "strong"; children?: React.ReactNode };

/** Shows a combobox. */
export function Combobox({ tone = "plain", children }: Props) {
  return (
    <div className={classes("combobox", `combobox--${tone}`)}>
      {children}
    </div>
  );
}
