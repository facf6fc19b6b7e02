import { useState, type ReactNode } from "react";

export function Page({ children }: { children: ReactNode }) {
  const [open, setOpen] = useState(false);
  return (
    <main>
      <button onClick={() => setOpen(true)}>Open</button>
      {open && <div role="dialog">{children}</div>}
    </main>
  );
}
