import { classes } from "../../util/classes";

type Props = { tone?: "plain" | "strong"; children?: React.ReactNode };

/** Shows a link. */
export function Link({ tone = "plain", children }: Props) {
  return (
    <div className={classes("link", `link--${tone}`)}>
      {children}
    </div>
  );
}
