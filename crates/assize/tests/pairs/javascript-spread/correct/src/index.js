export { mean } from "./mean.js";
export { spread, variance } from "./spread.js";
