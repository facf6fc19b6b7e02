import { classes } from "@ui/core/classes";

type Props = { tone?: "plain" | "strong"; children?: React.ReactNode };

/** Shows a avatar. */
export function Avatar({ tone = "plain", children }: Props) {
  return (
    <div className={classes("avatar", `avatar--${tone}`)}>
      {children}
    </div>
  );
}
