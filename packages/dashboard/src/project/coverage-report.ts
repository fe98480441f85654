import { readJson } from "../data/read-json.ts";

export interface Share {
  readonly covered: number;
  readonly total: number;
}

/** What the tests cover, as the service's own file tells of it. */
export interface CoverageReport {
  readonly lines: Share;
  readonly functions: Share;
  readonly ratio: number;
  readonly files: readonly { readonly path: string; readonly lines: Share; readonly functions: Share }[];
}

/** Undefined if it is none: somebody may have uploaded a file of their own in its place, of any shape. */
export function readCoverage(text: string): CoverageReport | undefined {
  const report = readJson(text) as Partial<CoverageReport> | null | undefined;
  const isWhole =
    hasShares(report) &&
    Array.isArray(report.files) &&
    report.files.every((file) => hasShares(file) && typeof file.path === "string");
  return isWhole ? (report as CoverageReport) : undefined;
}

function hasShares<T extends { readonly lines?: Share; readonly functions?: Share }>(
  value: T | null | undefined,
): value is T {
  return isShare(value?.lines) && isShare(value?.functions);
}

function isShare(value: Share | null | undefined): boolean {
  return typeof value?.covered === "number" && typeof value.total === "number";
}
