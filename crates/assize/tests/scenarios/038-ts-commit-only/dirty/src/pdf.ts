export function toPdf(rows: string[][]): string {
  throw new Error("not implemented");
}
