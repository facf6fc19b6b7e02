// @ts-nocheck
import { measure } from "../measure";

export function widths(cells) {
  return cells.map((row) => Math.max(...row.map(measure)));
}

export function first(cells: string[][]): string {
  return cells[0].find((cell) => cell !== "").trim();
}
