import { useState, type ReactNode } from "react";
import { Modal } from "./Modal";

export function Page({ children }: { children: ReactNode }) {
  const [open, setOpen] = useState(false);
  return (
    <main>
      <button onClick={() => setOpen(true)}>Open</button>
      <Modal open={open}>{children}</Modal>
    </main>
  );
}
