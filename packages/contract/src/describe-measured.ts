import type { ReportedLine } from "./acceptance.ts";

type MeasuredValue = ReportedLine["measured"][number];

/** `response_time_p95 12 ms (before: 10 ms, +20 %)` */
export function describeMeasured({ name, value, unit, previous, change }: MeasuredValue): string {
  const now = `${name} ${show(value, unit)}`;
  if (previous === null) return now;
  const share = change === null ? "" : `, ${change < 0 ? "" : "+"}${Math.round(change * 1_000) / 10} %`;
  return `${now} (before: ${show(previous, unit)}${share})`;
}

function show(value: number, unit: MeasuredValue["unit"]): string {
  switch (unit) {
    case "ms":
      return `${round(value)} ms`;
    case "bytes":
      return value < 1024 ** 2 ? `${round(value / 1024)} KB` : `${round(value / 1024 ** 2)} MB`;
    case "per second":
      return `${round(value)} a second`;
    case "share":
      return `${round(value * 100)} %`;
    case "count":
      return String(round(value));
  }
}

function round(value: number): number {
  return Math.abs(value) >= 100 ? Math.round(value) : Math.round(value * 100) / 100;
}
