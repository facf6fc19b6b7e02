type Props = { used: number; total: number };

const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`;

export function StoragePanel({ used, total }: Props) {
  return (
    <section aria-label="Storage">
      <progress value={used} max={total} />
      <p>
        {gigabytes(used)} of {gigabytes(total)} used
      </p>
    </section>
  );
}
