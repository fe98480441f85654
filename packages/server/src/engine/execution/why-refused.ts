import type { AcceptanceReport, ReportedLine } from "@slipway/contract";
import type { CompleteSpec } from "@slipway/spec";
import { count } from "../../platform/count.ts";
import type { RunError } from "../lifecycle/index.ts";

/** How many lines an error names. */
const maxNamed = 5;

/** Lines that only the deployment itself can show. */
export const deploymentTimePointer = "/acceptance/deployment_time_max_minutes";
export const zeroDowntimePointer = "/acceptance/zero_downtime";
export const deploymentPointers: readonly string[] = [deploymentTimePointer, zeroDowntimePointer];

/** Why a result is refused: what its checks say of the whole, else the lines that do not hold; undefined if it is not. */
export function whyRefused(
  { guardrails }: Pick<CompleteSpec, "guardrails">,
  { lines }: AcceptanceReport,
  error: RunError | undefined,
): RunError | undefined {
  if (error !== undefined) return error;
  const failed = lines.filter(({ verdict }) => verdict === "failed");
  if (failed.length > 0) {
    const many = `${failed.length} of ${count(lines.length, "line")} ${failed.length === 1 ? "does" : "do"} not hold`;
    return { code: "acceptance_failed", message: `${many}. ${failed.slice(0, maxNamed).map(describe).join(" ")}` };
  }
  const open = lines.filter(
    ({ verdict, pointer }) => verdict === "not_checked" && !deploymentPointers.includes(pointer),
  );
  if (open.length === 0 || guardrails.unverified !== "fail") return undefined;
  const many = `${open.length} of ${count(lines.length, "line")} ${open.length === 1 ? "was" : "were"} not checked, and guardrails.unverified is 'fail'`;
  return { code: "not_checked", message: `${many}. ${open.slice(0, maxNamed).map(describe).join(" ")}` };
}

function describe({ line, pointer, reason }: ReportedLine): string {
  return `${line === null ? pointer : `Line ${line}`}: ${reason}`;
}
