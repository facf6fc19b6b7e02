export function Header() {
  return (
    <header>
      <h1>Board</h1>
    </header>
  );
}
