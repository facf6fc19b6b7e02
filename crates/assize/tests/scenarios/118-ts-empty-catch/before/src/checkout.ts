import { pay, type Receipt } from "./payment";

export async function checkout(cartId: string, show: (receipt: Receipt) => void): Promise<void> {
  const receipt = await pay(cartId);
  show(receipt);
}
