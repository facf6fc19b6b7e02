import { classes } from "../../util/classes";

type Props = { tone?: "plain" | "strong"; children?: React.ReactNode };

/** Shows a footer. */
export function Footer({ tone = "plain", children }: Props) {
  return (
    <div className={classes("footer", `footer--${tone}`)}>
      {children}
    </div>
  );
}
