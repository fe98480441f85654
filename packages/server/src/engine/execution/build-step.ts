import { restRole } from "@slipway/spec";
import type { BlobStore } from "../../platform/blobs/index.ts";
import { WorkspaceError } from "../../platform/git/index.ts";
import { writeOverrides } from "../../verification/index.ts";
import type { Generation, SourceDeps } from "../generation/index.ts";
import type { NewArtifact } from "../lifecycle/index.ts";
import type { ReportSources } from "./acceptance-report.ts";
import { type AskDeps, askAgent } from "./ask-agent.ts";
import { deliveredBefore } from "./delivered-before.ts";
import { filesToChange } from "./files-to-change.ts";
import { noSpace } from "./lack-of-space.ts";
import { mergeReportText, regenerateFor } from "./regenerate.ts";
import type { ResumeDeps } from "./resume-attempt.ts";
import { commitByAgent, type SettleDeps, settleResult } from "./settle-result.ts";
import type { StepInput } from "./step-input.ts";
import { storeText } from "./store-artifact.ts";

export interface BuildDeps extends AskDeps, ResumeDeps, SettleDeps, SourceDeps {
  readonly blobs: BlobStore;
  readonly reports: ReportSources;
}

/** Lets an agent do its task in a folder at the head's commit, and merges what it changed. */
export async function buildStep(deps: BuildDeps, input: StepInput): Promise<void> {
  const { attempt, context, document, workspace } = input;
  const folder = await workspace.prepareForAgent(deps, attempt);
  const { task } = context;
  const finished = { projectId: attempt.projectId, task, document, folder, signal: attempt.signal };
  const before = await deliveredBefore(deps, { projectId: attempt.projectId, context, document });
  if (before !== undefined) {
    keepDelivered(input, before);
    await settleResult(deps, input, { base: folder.base, artifacts: [] });
    return;
  }
  const files = task.role === restRole ? await filesToChange(deps, finished) : [];
  const report = await askAgent(deps, { ...input, folder, files });
  if (report.is === "failed") {
    const { code, message } = report;
    const artifacts = await storeIntermediate(deps, input, folder.base);
    const isFinal = code === "plugin_failed";
    // A limit that was exceeded says nothing about the rules.
    const isByRule = buildsByRule(deps, input) && !code.startsWith("agent_") && code !== noSpace;
    await attempt.finish({ is: "failed", error: { code, message }, artifacts, isFinal, isByRule });
    return;
  }
  await writeOverrides(folder.path, document.dependency_overrides ?? {}, attempt.signal);
  const made = await regenerate(deps, input, folder.base);
  if (made !== undefined && "error" in made) {
    await attempt.finish({ is: "failed", error: made.error, isByRule: true });
    return;
  }
  const artifacts = await storeMergeReport(deps, attempt.projectId, made?.generation);
  await settleResult(deps, input, { base: folder.base, artifacts, generation: made?.generation });
}

function keepDelivered({ openLog }: StepInput, before: string): void {
  const log = openLog("finisher");
  log.write(
    `Nobody was asked: nothing that this task is about has changed since ${before}, and what it has is kept.\n`,
  );
  log.end();
}

/** Whether the agent follows rules: its next attempt would end in the same way. */
function buildsByRule({ findAgent }: BuildDeps, { attempt }: StepInput): boolean {
  return findAgent(attempt.agentId)?.driver.generate !== undefined;
}

/** Merges a regenerated project with what people changed; only for an agent that builds by rule. */
async function regenerate(deps: BuildDeps, input: StepInput, base: string) {
  const generate = deps.findAgent(input.attempt.agentId)?.driver.generate;
  return generate && regenerateFor(deps, { ...input, base, generate });
}

async function storeMergeReport(
  { blobs }: BuildDeps,
  projectId: string,
  generation: Generation | undefined,
): Promise<NewArtifact[]> {
  const text = generation && mergeReportText(generation);
  if (text === undefined) return [];
  const report = { type: "merge_report", path: "merge-report.json", mediaType: "application/json", text };
  return [await storeText(blobs, projectId, report)];
}

/** What matters more than why the agent failed. */
const toTell: readonly string[] = [noSpace, "secret_found"];

/** Stores what a failed attempt changed as a patch, where the document asks for it; what cannot be had is no reason. */
async function storeIntermediate(deps: BuildDeps, input: StepInput, base: string): Promise<NewArtifact[]> {
  if (!input.document.debug.save_intermediate_files) return [];
  try {
    return await storePatch(deps, input, base);
  } catch (error) {
    if (!(error instanceof WorkspaceError) || toTell.includes(error.code)) throw error;
    const log = input.openLog("agent");
    log.write(`No intermediate files are kept: ${error.message}\n`);
    log.end();
    return [];
  }
}

async function storePatch(deps: BuildDeps, input: StepInput, base: string): Promise<NewArtifact[]> {
  const { projectId, taskId, number } = input.attempt;
  const changed = await commitByAgent(deps, input, base);
  if (changed === undefined) return [];
  const bytes = await deps.workspaces.patch(projectId, base, changed.commit);
  const path = `intermediate/${encodeURIComponent(taskId)}/attempt-${number}.patch`;
  return [
    await storeText(deps.blobs, projectId, { type: "intermediate_files", path, mediaType: "text/x-diff", bytes }),
  ];
}
