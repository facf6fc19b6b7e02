import { mean } from "./mean.js";

/** Returns the mean of the squared distances from the mean. */
export function variance(values) {
  const middle = mean(values);
  return mean(values.map((value) => (value - middle) ** 2));
}

/** Returns the largest less the smallest value. */
export function spread(values) {
  return values.length === 0 ? NaN : Math.max(...values) - Math.min(...values);
}
