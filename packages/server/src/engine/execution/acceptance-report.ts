import type { AcceptanceReport } from "@slipway/contract";
import type { WrittenLines } from "@slipway/spec";
import { acceptancePage, type EvidenceFile, type TaskUsage } from "../../verification/index.ts";

/** What a report needs to know beside the result. */
export interface ReportSources {
  /** What the project's document says at these JSON Pointers, and on which line. */
  writtenLines(projectId: string, pointers: readonly string[]): Promise<ReadonlyMap<string, WrittenLines>>;
  /** What the attempts at each of the project's tasks have used so far. */
  usage(projectId: string): Promise<readonly TaskUsage[]>;
  /** The project's report as it is; undefined before the first. */
  current(projectId: string): Promise<AcceptanceReport | undefined>;
  /** A current artifact of the project as text; undefined if there is none. */
  evidence(projectId: string, path: string): Promise<string | undefined>;
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
