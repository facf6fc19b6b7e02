import { z } from "zod";

const orderSchema = z.object({
  items: z.array(z.object({ sku: z.string().min(1), qty: z.number().int().positive() })).min(1),
});

export type Order = z.infer<typeof orderSchema>;

const orders: Order[] = [];

export function postOrder(body: unknown): { status: number; error?: string } {
  const parsed = orderSchema.safeParse(body);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return { status: 400, error: `${issue.path.join(".")}: ${issue.message}` };
  }
  orders.push(parsed.data);
  return { status: 201 };
}
