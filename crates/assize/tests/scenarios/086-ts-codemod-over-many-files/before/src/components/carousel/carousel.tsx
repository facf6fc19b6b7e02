import { classes } from "../../util/classes";

type Props = { tone?: "plain" | "strong"; children?: React.ReactNode };

/** Shows a carousel. */
export function Carousel({ tone = "plain", children }: Props) {
  return (
    <div className={classes("carousel", `carousel--${tone}`)}>
      {children}
    </div>
  );
}
