import type { RunEstimate } from "@slipway/contract";
import { type PlanSummary, planAsData, type ResolvedSpec, secretProvider, type WorkPlan } from "@slipway/spec";
import type { HandedOn } from "../foreseen/handed-on.ts";
import { toJson } from "../output/to-json.ts";
import type { Foreseen } from "./find-unmet.ts";

export interface PlannedDocument extends Omit<Foreseen, "finisher"> {
  /** What no rule builds, and an agent of the config file finishes. */
  readonly handedOn: readonly HandedOn[];
  readonly resolved: ResolvedSpec;
  readonly plan: WorkPlan;
  readonly summary: PlanSummary;
  /** What earlier runs took; undefined if no service was there to say it. */
  readonly estimate: RunEstimate | undefined;
}

/** The plan for programs, with the field names of the API. */
export function planAsJson(planned: PlannedDocument): string {
  const { resolved, plan, summary, unmet, handedOn, preflight, estimate } = planned;
  const { document, environment } = resolved;
  const data = {
    id: document.id,
    name: document.name,
    outcome_type: document.outcome_type,
    environment: environment?.name ?? null,
    ...planAsData(plan),
    summary: {
      total_hours: summary.totalHours,
      critical_path: summary.criticalPath,
      parallel_tasks: summary.parallelTasks,
      duration_hours: summary.durationHours,
    },
    estimate: estimate ?? null,
    secrets: {
      provider: secretProvider(document.secrets.provider).name,
      required: document.secrets.required,
      optional: document.secrets.optional,
    },
    unmet: unmet ?? null,
    handed_on: handedOn,
    preflight,
  };
  return toJson(data);
}
