export function RequestForm({ onSubmit }: { onSubmit: () => void }) {
  return (
    <form onSubmit={onSubmit}>
      <textarea name="text" />
      <button type="submit">Send request</button>
    </form>
  );
}
