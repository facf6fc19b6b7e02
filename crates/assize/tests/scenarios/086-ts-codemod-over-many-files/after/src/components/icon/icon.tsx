import { classes } from "@ui/core/classes";

type Props = { tone?: "plain" | "strong"; children?: React.ReactNode };

/** Shows a icon. */
export function Icon({ tone = "plain", children }: Props) {
  return (
    <div className={classes("icon", `icon--${tone}`)}>
      {children}
    </div>
  );
}
