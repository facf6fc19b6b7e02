export type Order = { items: { sku: string; qty: number }[] };

const orders: Order[] = [];

export function postOrder(body: unknown): { status: number; error?: string } {
  orders.push(body as Order);
  return { status: 201 };
}
