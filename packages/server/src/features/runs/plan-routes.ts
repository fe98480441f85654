import { type CompleteSpec, writeTaskBreakdown } from "@slipway/spec";
import { readBreakdown } from "../../engine/execution/index.ts";
import { type CommitDeps, type CommitResult, editPlan, readRun } from "../../engine/lifecycle/index.ts";
import { type BlobStore, refuseBlobError } from "../../platform/blobs/index.ts";
import type { Database } from "../../platform/database/index.ts";
import { Refusal } from "../../platform/errors/index.ts";
import type { Handlers, Transact } from "../../platform/http/index.ts";
import { recordChange } from "../audit/index.ts";
import { refuseDiagnostics, requireOwn, requireReadable } from "../projects/index.ts";

interface Deps extends CommitDeps {
  readonly db: Database;
  readonly transact: Transact;
  readonly blobs: BlobStore;
  readonly findDocument: (projectId: string) => Promise<CompleteSpec>;
  readonly onCommit: (result: CommitResult) => void;
}

const yaml = { "content-type": "application/yaml; charset=utf-8" };

/** Reads the plan of a project and, while it waits for approval, changes it. */
export function planRoutes(deps: Deps): Pick<Handlers, "readPlan" | "editPlan"> {
  const { db, plans, transact, blobs, clock } = deps;
  return {
    readPlan: async ({ params, principal }) => {
      await requireReadable(db, params.project_id, principal);
      const found = await readRun(db, plans, params.project_id);
      if (found === undefined) throw new Refusal("conflict", "The project has not begun yet: it has no plan.");
      const { run, planVersion } = found;
      return { status: 200, body: writeTaskBreakdown(run.plan.plan), version: String(planVersion), headers: yaml };
    },

    editPlan: async (call) => {
      const { id } = await requireOwn(db, call.params.project_id, call.principal);
      const toRead = { source: call.document, document: await deps.findDocument(id) };
      const { plan, diagnostics } = await readBreakdown(toRead, new AbortController().signal);
      if (plan === undefined) throw refuseDiagnostics(diagnostics);
      const text = writeTaskBreakdown(plan);
      const { digest, size } = await blobs.put(Buffer.from(text), { ownerId: id }).catch(refuseBlobError);
      const artifact = { type: "task_breakdown", path: "tasks.yaml", mediaType: "application/yaml", digest, size };
      let result: CommitResult | undefined;
      const answer = await transact(call, async (trx) => {
        result = await editPlan(deps, trx, id, plan, [artifact]);
        await recordChange(trx, clock, call, { action: "project.edit_plan", target: id });
        return { status: 200, body: text, headers: yaml };
      });
      if (result !== undefined) deps.onCommit(result);
      return answer;
    },
  };
}
