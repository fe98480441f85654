import { builtInTaskIds, type CompleteSpec, restRole } from "@slipway/spec";
import type { AgentDriver } from "../../agents/index.ts";
import { writeOverrides } from "../../verification/index.ts";
import { describeConflict, findOrGenerate, type Generation, type SourceDeps } from "../generation/index.ts";
import type { Attempt, AttemptContext, RunError } from "../lifecycle/index.ts";
import type { MaskedLog } from "../logs/index.ts";

interface Regenerating {
  readonly attempt: Attempt;
  readonly context: AttemptContext;
  readonly document: CompleteSpec;
  /** The commit that the attempt's folder was filled from. */
  readonly base: string;
  readonly generate: NonNullable<AgentDriver["generate"]>;
  readonly openLog: (source: string) => MaskedLog;
}

/** Generates the whole document and merges it with what people changed in an earlier result; logs conflicts. */
export async function regenerateFor(
  deps: SourceDeps,
  { attempt, context, document, base, generate, openLog }: Regenerating,
): Promise<{ readonly generation: Generation } | { readonly error: RunError }> {
  const { projectId, id, signal } = attempt;
  const tasks = context.run.plan.plan.tasks.filter(({ id, role }) => !builtInTaskIds.includes(id) && role !== restRole);
  const made = await findOrGenerate(deps, {
    projectId,
    planVersion: context.planVersion,
    attemptId: id,
    base,
    signal,
    build: async (folder) => {
      const report = await generate({ document, folder }, tasks, signal);
      if (report.is === "failed") return { code: report.code, message: report.message };
      await writeOverrides(folder, document.dependency_overrides ?? {}, signal);
      return undefined;
    },
  });
  if ("error" in made) return made;
  const { report } = made.generation;
  if (made.isNew && report !== null) {
    const log = openLog("merge");
    for (const conflict of report.conflicts) log.write(`${describeConflict(conflict)}\n`);
    for (const path of report.kept) log.write(`kept ${path}: it is no longer generated, but you changed it\n`);
    log.end();
  }
  return made;
}

/** The merge report as JSON; undefined if there was nothing to merge with. */
export function mergeReportText({ report }: Generation): string | undefined {
  return report === null ? undefined : `${JSON.stringify(report, undefined, 2)}\n`;
}
