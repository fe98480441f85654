import { isDeepStrictEqual } from "node:util";
import { type CompleteSpec, type PlannedTask, restRole, writtenPointer } from "@slipway/spec";
import { findGeneration, findLatestGeneration, type SourceDeps } from "../generation/index.ts";
import { type AttemptContext, isRepair, readRun } from "../lifecycle/index.ts";
import type { ReportSources } from "./acceptance-report.ts";

interface Deps extends Omit<SourceDeps, "workspaces"> {
  readonly reports: Pick<ReportSources, "current">;
}

interface Asked {
  readonly projectId: string;
  readonly context: AttemptContext;
  readonly document: CompleteSpec;
}

/**
 * The live project that has already got what a finisher is to do now, and whose files this run began with: nothing that
 * the task is about has changed since, so asking an agent again would cost, and could only make it worse. Undefined: ask.
 */
export async function deliveredBefore(
  { db, plans, reports }: Deps,
  { projectId, context, document }: Asked,
): Promise<string | undefined> {
  const { task, state, run, planVersion } = context;
  if (task.role !== restRole || isRepair(task.id)) return undefined;
  const hasOtherBase = run.plan.plan.tasks.some(({ id, role }) => role === restRole && state.tasks[id]?.hasChanged);
  const made = await findGeneration(db, projectId, planVersion);
  const { merged_with: from, conflicts = [] } = made?.report ?? {};
  if (hasOtherBase || made === undefined || from === undefined || conflicts.length > 0) return undefined;
  if (!("project_id" in from)) return undefined;
  const before = from.project_id;
  // The same files make the same commit.
  if ((await findLatestGeneration(db, before))?.generated.commit !== made.generated.commit) return undefined;
  const earlier = (await readRun(db, plans, before))?.run.plan.plan.tasks.find(({ id }) => id === task.id);
  if (earlier === undefined || !isDeepStrictEqual(askedOf(earlier), askedOf(task))) return undefined;
  const unmet = (await reports.current(before))?.unmet;
  const serves = new Set(task.serves);
  const isUnmet = unmet?.some(({ pointer }) => serves.has(writtenPointer(document, pointer)));
  return isUnmet === false ? before : undefined;
}

/** The lines of the document and the checks that a task is about, in words. */
function askedOf({ title, description, serves }: PlannedTask) {
  return { title, description, serves };
}
