export function SettingsPage() {
  return (
    <main>
      <h1>Settings</h1>
    </main>
  );
}
