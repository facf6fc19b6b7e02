import { toPdf } from "./pdf";

export function toCsv(rows: string[][]): string {
  return rows.map((row) => row.join(",")).join("\n");
}

export const exporters = { csv: toCsv, pdf: toPdf };
