export type Report = { headers: string[]; rows: (string | number)[][] };
export type Format = "csv";

export function exportReport(report: Report, format: Format): { type: string; body: string } {
  const lines = [report.headers, ...report.rows].map((row) => row.join(","));
  return { type: "text/csv", body: lines.join("\n") };
}
