export type Report = { headers: string[]; rows: (string | number)[][] };
export type Format = "csv" | "xlsx";

const CONTENT_TYPES: Record<Format, string> = {
  csv: "text/csv",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
};

function toCsv(report: Report): string {
  return [report.headers, ...report.rows].map((row) => row.join(",")).join("\n");
}

function toXlsx(_report: Report): string {
  throw new Error("xlsx export is not implemented yet");
}

export function exportReport(report: Report, format: Format): { type: string; body: string } {
  const body = format === "csv" ? toCsv(report) : toXlsx(report);
  return { type: CONTENT_TYPES[format], body };
}
