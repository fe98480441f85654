import type { AcceptanceReport } from "@slipway/contract";
import { acceptancePage, type EvidenceFile } from "../../verification/index.ts";

/** What a report needs to know beside the result. */
export interface ReportSources {
  /** The lines of the project's document on which the values at these JSON Pointers are written. */
  lineNumbers(projectId: string, pointers: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** The project's report as it is; undefined before the first. */
  current(projectId: string): Promise<AcceptanceReport | undefined>;
  /** The report of the application's run before this one. */
  previous(projectId: string): Promise<AcceptanceReport | undefined>;
}

/** Where a project's report is, for programs. */
export const reportPath = "verification/report.json";

/** A report as artifacts: for programs, and for people. */
export function reportFiles(name: string, report: AcceptanceReport): readonly EvidenceFile[] {
  const type = "acceptance_report";
  return [
    { type, path: reportPath, mediaType: "application/json", text: `${JSON.stringify(report, undefined, 2)}\n` },
    {
      type,
      path: "verification/report.html",
      mediaType: "text/html; charset=utf-8",
      text: acceptancePage(name, report),
    },
  ];
}
