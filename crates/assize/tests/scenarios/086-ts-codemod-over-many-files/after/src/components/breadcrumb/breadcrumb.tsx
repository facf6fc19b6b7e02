import { classes } from "@ui/core/classes";

type Props = { tone?: "plain" | "strong"; children?: React.ReactNode };

/** Shows a breadcrumb. */
export function Breadcrumb({ tone = "plain", children }: Props) {
  return (
    <div className={classes("breadcrumb", `breadcrumb--${tone}`)}>
      {children}
    </div>
  );
}
