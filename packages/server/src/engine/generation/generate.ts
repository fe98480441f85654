import type { Database } from "../../platform/database/index.ts";
import type { PlanCache, RunError } from "../lifecycle/index.ts";
import type { SavedHead, Workspaces } from "../workspaces/index.ts";
import { findPrevious, type Previous } from "./find-previous.ts";
import { conflictError, type MergeReport } from "./merge-report.ts";
import { findApplicationId, findGeneration, findGenerations, type Generation, insertGeneration } from "./store.ts";

export interface SourceDeps {
  readonly db: Database;
  readonly plans: PlanCache;
  readonly workspaces: Workspaces;
}

interface Generating {
  readonly projectId: string;
  readonly planVersion: number;
  /** The attempt that needs the generation. */
  readonly attemptId: string;
  /** What the attempt began from. */
  readonly base: string;
  /** Generates the whole document into an empty folder; returns why it cannot, if it cannot. */
  readonly build: (folder: string) => Promise<RunError | undefined>;
  readonly signal: AbortSignal;
}

export type Generated = { readonly generation: Generation; readonly isNew: boolean } | { readonly error: RunError };

/**
 * Generates a project's document and merges it with a person's changes. It is made once and stored: every task of the run
 * takes its part of it, and the next run uses it as its base. A run that went back behind some of its tasks has a new plan,
 * but keeps the generation that the others have taken their part of: parts of two would lose what a person put between them.
 */
export async function findOrGenerate(deps: SourceDeps, work: Generating): Promise<Generated> {
  const { db, workspaces } = deps;
  const { projectId, planVersion, signal } = work;
  const known = (await findGeneration(db, projectId, planVersion)) ?? (await keepLaid(deps, work));
  if (known !== undefined) {
    await workspaces.bring(projectId, known.generated, { signal });
    if (known.merged !== null) await workspaces.bring(projectId, known.merged, { signal });
    return { generation: known, isNew: false };
  }
  const built = await buildAll(deps, work);
  if ("error" in built) return built;
  const applicationId = await findApplicationId(db, projectId);
  if (applicationId === undefined) throw new Error(`The project ${projectId} is gone.`);
  const previous = await findPrevious(deps, applicationId);
  const merged = previous && (await mergeWith(deps, work, built.generated, previous));
  const made: Generation = { generated: built.generated, merged: null, report: null, ...merged };
  const row = { ...made, projectId, planVersion, sourceVersion: previous?.sourceVersion ?? 0 };
  if (await insertGeneration(db, row)) return { generation: made, isNew: true };
  // Another task of the run was first.
  return findOrGenerate(deps, work);
}

/** Stores the generation of an earlier plan that the project's files have parts of for this plan too. */
async function keepLaid({ db, workspaces }: SourceDeps, work: Generating): Promise<Generation | undefined> {
  const { projectId, planVersion, base, signal } = work;
  const [laid] = await findLaid({ db, workspaces }, { projectId, commit: base, signal });
  if (laid !== undefined) await insertGeneration(db, { ...laid, projectId, planVersion });
  return laid;
}

/** The generations of which a commit has parts, the newest first. */
async function findLaid(
  { db, workspaces }: Pick<SourceDeps, "db" | "workspaces">,
  { projectId, commit, signal }: Pick<Checked, "projectId" | "commit" | "signal">,
) {
  const all = await findGenerations(db, projectId);
  if (all.length === 0) return [];
  const laid = await workspaces.findLaidOver(projectId, commit, { signal });
  return all.filter(({ generated, merged }) => laid.has((merged ?? generated).commit));
}

interface Checked extends Pick<Generating, "projectId" | "planVersion" | "signal"> {
  /** The project's head. */
  readonly commit: string;
}

/** Why a project cannot continue because of conflicts; undefined if there are none, or somebody has resolved them. */
export async function findConflict(
  { db, workspaces }: Pick<SourceDeps, "db" | "workspaces">,
  { projectId, planVersion, commit, signal }: Checked,
): Promise<RunError | undefined> {
  // The plan may be newer than the files: of a run that went back, that of the files counts.
  const [laid] = await findLaid({ db, workspaces }, { projectId, commit, signal });
  const report = (laid ?? (await findGeneration(db, projectId, planVersion)))?.report;
  const error = conflictError(projectId, report);
  if (report == null || error === undefined || !mayBeResolved(report)) return error;
  const marked = new Set(await workspaces.findMarked(projectId, commit, { signal }));
  return report.conflicts.some(({ path }) => marked.has(path)) ? error : undefined;
}

/** What an earlier run left, an agent of this run may reconcile with the document; source that a person put, only they. */
function mayBeResolved({ merged_with, conflicts }: MergeReport): boolean {
  return "project_id" in merged_with && conflicts.every(({ kind }) => kind === "changed" || kind === "added");
}

async function buildAll(
  { workspaces }: SourceDeps,
  { projectId, attemptId, build, signal }: Generating,
): Promise<{ generated: SavedHead } | { error: RunError }> {
  const { commit: root } = await workspaces.open(projectId, undefined, { signal });
  const worktree = await workspaces.checkOut(projectId, `${attemptId}-generated`, root, { signal });
  try {
    const error = await build(worktree.path);
    if (error !== undefined) return { error };
    const made = await workspaces.takeResult(worktree, {
      base: root,
      author: { name: "Slipway", email: "slipway@localhost" },
      message: "Generate",
      trailers: {},
      // A fixed time: the same files make the same commit.
      at: new Date(0),
      signal,
    });
    const commit = made?.commit ?? root;
    return { generated: { commit, bundle: await workspaces.save(projectId, commit, { signal }) } };
  } finally {
    await workspaces.release(worktree);
  }
}

async function mergeWith(
  { workspaces }: SourceDeps,
  { projectId, signal }: Generating,
  generated: SavedHead,
  { source, base, began, from }: Previous,
): Promise<{ merged: SavedHead; report: MergeReport }> {
  await workspaces.bring(projectId, source, { signal });
  for (const saved of [base, began?.result, began?.merged])
    if (saved != null) await workspaces.bring(projectId, saved, { signal });
  const { commit, conflicts, kept } = await workspaces.regenerate(projectId, {
    base: base?.commit,
    yours: source.commit,
    regenerated: generated.commit,
    began: began && { result: began.result.commit, merged: began.merged?.commit },
    signal,
  });
  const bundle = await workspaces.save(projectId, commit, { signal });
  return { merged: { commit, bundle }, report: { merged_with: from, conflicts, kept } };
}
