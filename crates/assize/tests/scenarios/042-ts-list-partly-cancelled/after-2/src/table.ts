export type Row = { name: string; created: string };
export type Order = { column: keyof Row; descending: boolean };

export const columns: (keyof Row)[] = ["name", "created"];

/** Clicking a header sorts by it; clicking it again reverses the order. */
export function nextOrder(order: Order, clicked: keyof Row): Order {
  if (order.column === clicked) {
    return { ...order, descending: !order.descending };
  }
  return { column: clicked, descending: clicked === "created" };
}

export function sortRows(rows: Row[], { column, descending }: Order): Row[] {
  const sign = descending ? -1 : 1;
  return [...rows].sort((a, b) => sign * a[column].localeCompare(b[column]));
}
