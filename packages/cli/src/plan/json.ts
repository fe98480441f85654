import { type PlanSummary, planAsData, type ResolvedSpec, secretProvider, type WorkPlan } from "@slipway/spec";
import type { Foreseen } from "./find-unmet.ts";

export interface PlannedDocument extends Foreseen {
  readonly resolved: ResolvedSpec;
  readonly plan: WorkPlan;
  readonly summary: PlanSummary;
}

/** The plan for programs, with the field names of the API. */
export function planAsJson({ resolved, plan, summary, unmet, preflight }: PlannedDocument): string {
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
    secrets: {
      provider: secretProvider(document.secrets.provider).name,
      required: document.secrets.required,
      optional: document.secrets.optional,
    },
    unmet: unmet ?? null,
    preflight,
  };
  return JSON.stringify(data, null, 2);
}
