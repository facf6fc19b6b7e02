/** Something took too long. */
export class TimeoutError extends Error {
  override readonly name = "TimeoutError";
}
