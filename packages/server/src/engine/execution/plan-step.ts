import { planWork, readTaskBreakdown, writeTaskBreakdown } from "@slipway/spec";
import type { BlobStore } from "../../platform/blobs/index.ts";
import { type AskDeps, askAgent } from "./ask-agent.ts";
import type { ResumeDeps } from "./resume-attempt.ts";
import { type SettleDeps, settleResult } from "./settle-result.ts";
import type { StepInput } from "./step-input.ts";
import { storeText } from "./store-artifact.ts";

export interface PlanDeps extends AskDeps, ResumeDeps, SettleDeps {
  readonly blobs: BlobStore;
}

/** Asks the planner for the task breakdown; without one of its own, the tasks follow from the document. */
export async function planStep(deps: PlanDeps, input: StepInput): Promise<void> {
  const { attempt, document, workspace } = input;
  const folder = await workspace.prepareForAgent(deps, attempt);
  const report = await askAgent(deps, { ...input, folder });
  if (report.is === "failed") {
    await attempt.finish({ is: "failed", error: { code: report.code, message: report.message } });
    return;
  }
  const text = report.breakdown ?? writeTaskBreakdown(planWork(document));
  const { plan, diagnostics } = readTaskBreakdown(text, document);
  if (plan === undefined) {
    const problems = diagnostics
      .filter(({ severity }) => severity === "error")
      .map(({ message, line }) => `line ${line}: ${message}`)
      .join(" ");
    const message = `The planner's tasks.yaml cannot be used: ${problems}`;
    await attempt.finish({ is: "failed", error: { code: "invalid_plan", message } });
    return;
  }
  const breakdown = { type: "task_breakdown", path: "tasks.yaml", mediaType: "application/yaml", text };
  const artifacts = [await storeText(deps.blobs, attempt.projectId, breakdown)];
  await settleResult(deps, input, { base: folder.base, plan, artifacts });
}
