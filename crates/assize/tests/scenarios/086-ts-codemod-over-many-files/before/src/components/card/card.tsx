import { classes } from "../../util/classes";

type Props = { tone?: "plain" | "strong"; children?: React.ReactNode };

/** Shows a card. */
export function Card({ tone = "plain", children }: Props) {
  return (
    <div className={classes("card", `card--${tone}`)}>
      {children}
    </div>
  );
}
