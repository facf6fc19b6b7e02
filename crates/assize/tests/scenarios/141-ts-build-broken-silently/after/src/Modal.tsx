import type { ReactNode } from "react";

export default function Modal({ open, children }: { open: boolean; children: ReactNode }) {
  return open ? <div role="dialog">{children}</div> : null;
}
