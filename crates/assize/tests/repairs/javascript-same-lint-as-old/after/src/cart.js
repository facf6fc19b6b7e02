/** Returns how many things are in the cart. */
export function count(items) {
  const cents = items.map((item) => item.count);
  return cents.reduce((sum, one) => sum + one, 0);
}

/** Returns the sum of the prices, in cents. */
export function total(items) {
  let sum = 0;
  for (const item of items) {
    let cents = item.price * item.count;
    sum += cents;
  }
  return sum;
}
