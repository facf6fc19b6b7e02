export function RequestForm({ onSubmit }: { onSubmit: () => void }) {
  return (
    <form onSubmit={onSubmit}>
      <textarea name="text" />
      <button type="submit">Submit</button>
    </form>
  );
}
