import { type CompleteSpec, planWork, writeTaskBreakdown } from "@slipway/spec";
import { outcomeOf } from "../../agents/index.ts";
import type { BlobStore } from "../../platform/blobs/index.ts";
import { PluginFailure } from "../../platform/plugins/index.ts";
import type { Plan } from "../lifecycle/index.ts";
import type { ReportSources } from "./acceptance-report.ts";
import { type AskDeps, askAgent } from "./ask-agent.ts";
import { type FinisherDeps, handOnRest, unmetBy } from "./hand-on-rest.ts";
import { readBreakdown } from "./read-breakdown.ts";
import type { ResumeDeps } from "./resume-attempt.ts";
import { type SettleDeps, settleResult } from "./settle-result.ts";
import type { StepInput, StepPlugins } from "./step-input.ts";
import { storeText } from "./store-artifact.ts";

export interface PlanDeps extends AskDeps, ResumeDeps, SettleDeps, FinisherDeps {
  readonly blobs: BlobStore;
  readonly plugins: StepPlugins;
  readonly reports: ReportSources;
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
  const written = report.breakdown ?? writeTaskBreakdown(planWork(document));
  const { plan: own, diagnostics } = await readBreakdown({ source: written, document }, attempt.signal);
  if (own === undefined) {
    const problems = diagnostics
      .filter(({ severity }) => severity === "error")
      .map(({ message, line }) => `line ${line}: ${message}`)
      .join(" ");
    const message = `The planner's tasks.yaml cannot be used: ${problems}`;
    await attempt.finish({ is: "failed", error: { code: "invalid_plan", message } });
    return;
  }
  const plan = await withRest(deps, input, own);
  const text = plan === own ? written : writeTaskBreakdown(plan);
  const breakdown = { type: "task_breakdown", path: "tasks.yaml", mediaType: "application/yaml", text };
  const artifacts = [await storeText(deps.blobs, attempt.projectId, breakdown)];
  await settleResult(deps, input, { base: folder.base, plan, artifacts });
}

function withRest(deps: PlanDeps, { attempt, context, document }: StepInput, plan: Plan): Promise<Plan> {
  const { run, state } = context;
  return handOnRest(deps, {
    ...{ plan, document, rules: run.rules, roles: state.roles },
    unmet: async () => unmetBy(await foreseen(deps, document), document, deps.plugins.checkNames(document)),
    writtenLines: (pointers) => deps.reports.writtenLines(attempt.projectId, pointers),
  });
}

/** A plugin that cannot plan fails when it is to build, with its reason. */
async function foreseen({ plugins }: PlanDeps, document: CompleteSpec) {
  try {
    return await outcomeOf(plugins, document);
  } catch (error) {
    if (error instanceof PluginFailure) return undefined;
    throw error;
  }
}
