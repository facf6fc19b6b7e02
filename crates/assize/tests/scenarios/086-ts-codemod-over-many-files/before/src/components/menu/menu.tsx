import { classes } from "../../util/classes";

type Props = { tone?: "plain" | "strong"; children?: React.ReactNode };

/** Shows a menu. */
export function Menu({ tone = "plain", children }: Props) {
  return (
    <div className={classes("menu", `menu--${tone}`)}>
      {children}
    </div>
  );
}
