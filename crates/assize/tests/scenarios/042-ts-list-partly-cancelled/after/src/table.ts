export type Row = { name: string; created: string };

export const columns: (keyof Row)[] = ["name", "created"];

export function sortRows(rows: Row[]): Row[] {
  return [...rows].sort((a, b) => a.name.localeCompare(b.name));
}
