import type { AcceptanceReport, ReportedLine } from "@slipway/contract";
import type { CompleteSpec } from "@slipway/spec";
import type { BlobStore } from "../../platform/blobs/index.ts";
import { oneLine } from "../../platform/one-line.ts";
import { type LineVerdict, withVerdicts } from "../../verification/index.ts";
import type { NewArtifact } from "../lifecycle/index.ts";
import { type ReportSources, reportFiles } from "./acceptance-report.ts";
import { storeText } from "./store-artifact.ts";
import { deploymentTimePointer } from "./why-refused.ts";

interface Deps {
  readonly reports: Pick<ReportSources, "current">;
  readonly blobs: Pick<BlobStore, "put">;
}

/** What a person has said about a result that they let go live. */
interface PersonsAnswer {
  readonly projectId: string;
  readonly document: CompleteSpec;
  readonly approvalId: string;
  readonly person: string;
  readonly comment: string | undefined;
  /** The pointers of the lines that they have seen to hold. */
  readonly confirmed: readonly string[];
}

const maxComment = 500;

/** The lines of a report that nobody has answered for, but the deployment itself. */
export function openLines({ lines }: AcceptanceReport): readonly ReportedLine[] {
  return lines.filter(({ verdict, pointer }) => verdict === "not_checked" && pointer !== deploymentTimePointer);
}

/**
 * Puts a person's answer into the project's report. What they confirm has passed by their word. The other open lines are
 * waived where the document lets a person decide about them: to let a result go live is not to have seen that it holds.
 */
export async function answerByPerson(
  { reports, blobs }: Deps,
  { projectId, document, approvalId, person, comment, confirmed }: PersonsAnswer,
): Promise<{ readonly artifacts: readonly NewArtifact[]; readonly report: AcceptanceReport } | undefined> {
  const report = await reports.current(projectId);
  if (report === undefined) return undefined;
  const isAsked = document.guardrails.unverified === "ask";
  const said = comment === undefined ? "." : `: ${oneLine(comment, maxComment)}`;
  const answeredBy = { by: "person", id: approvalId, name: person } as const;
  const isConfirmed = new Set(confirmed);
  const verdicts = openLines(report).flatMap(({ pointer }): readonly LineVerdict[] => {
    if (isConfirmed.has(pointer))
      return [{ pointer, verdict: "passed", reason: `${person} confirmed it${said}`, answeredBy }];
    return isAsked
      ? [{ pointer, verdict: "waived", reason: `${person} let it go live unchecked${said}`, answeredBy }]
      : [];
  });
  if (verdicts.length === 0) return undefined;
  const now = withVerdicts(report, verdicts);
  const files = reportFiles(document.name, now);
  return { report: now, artifacts: await Promise.all(files.map((file) => storeText(blobs, projectId, file))) };
}
