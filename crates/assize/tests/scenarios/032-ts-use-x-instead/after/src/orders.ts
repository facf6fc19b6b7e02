import Joi from "joi";

export type Order = { items: { sku: string; qty: number }[] };

const orderSchema = Joi.object<Order>({
  items: Joi.array()
    .items(Joi.object({ sku: Joi.string().required(), qty: Joi.number().integer().positive().required() }))
    .min(1)
    .required(),
});

const orders: Order[] = [];

export function postOrder(body: unknown): { status: number; error?: string } {
  const { value, error } = orderSchema.validate(body);
  if (error) {
    return { status: 400, error: error.message };
  }
  orders.push(value);
  return { status: 201 };
}
