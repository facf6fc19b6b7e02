/** Returns the sum of the prices, in cents. */
export function total(items) {
  let sum = 0;
  for (const item of items) {
    let cents = item.price * item.count;
    sum += cents;
  }
  return sum;
}
