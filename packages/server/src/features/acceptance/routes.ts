import { type CompleteSpec, promisedLines } from "@slipway/spec";
import type { ReportSources } from "../../engine/execution/index.ts";
import { type PlanCache, readRun } from "../../engine/lifecycle/index.ts";
import type { Database } from "../../platform/database/index.ts";
import type { Handlers } from "../../platform/http/index.ts";
import { assembleReport, reportedPointers } from "../../verification/index.ts";
import { requireReadable, versionOf } from "../projects/index.ts";

interface Deps {
  readonly db: Database;
  readonly plans: PlanCache;
  readonly reports: ReportSources;
  readonly findDocument: (projectId: string) => Promise<CompleteSpec>;
}

/** Reads what became of each line of a project's document. */
export function acceptanceRoutes({ db, plans, reports, findDocument }: Deps): Pick<Handlers, "readAcceptance"> {
  /** Before the first check every line is there, and none is checked. */
  const unchecked = async (projectId: string) => {
    const lines = promisedLines(await findDocument(projectId));
    const run = await readRun(db, plans, projectId);
    const tasks = run?.run.plan.plan.tasks ?? [];
    return assembleReport({
      ...{ projectId, commit: null, checkedAt: null, lines, verdicts: [] },
      uncheckedReason: () => "It was not checked yet.",
      written: await reports.writtenLines(projectId, reportedPointers(lines, tasks)),
      ...{ tasks, used: await reports.usage(projectId) },
    });
  };
  return {
    readAcceptance: async ({ params: { project_id: id }, principal }) => {
      const row = await requireReadable(db, id, principal);
      return { status: 200, body: (await reports.current(id)) ?? (await unchecked(id)), version: versionOf(row) };
    },
  };
}
