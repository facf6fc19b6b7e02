import { useTheme } from "./useTheme";

export function Header() {
  const { theme, toggle } = useTheme();
  return (
    <header>
      <h1>Board</h1>
      <button onClick={toggle} aria-pressed={theme === "dark"}>
        Dark mode
      </button>
    </header>
  );
}
