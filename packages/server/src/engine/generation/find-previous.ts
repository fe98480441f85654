import type { Database } from "../../platform/database/index.ts";
import { type PlanCache, readRun } from "../lifecycle/index.ts";
import type { SavedHead } from "../workspaces/index.ts";
import type { MergedWith } from "./merge-report.ts";
import { findApplicationOf, findCandidates, findLatestGeneration, type LiveProject, type PutSource } from "./store.ts";

interface Deps {
  readonly db: Database;
  readonly plans: PlanCache;
}

/** What the next run of an application is merged with. */
export interface Previous {
  readonly from: MergedWith;
  readonly source: SavedHead;
  /** Whose repository holds the source: a project's or an application's id. */
  readonly repositoryId: string;
  /** The run that it was made from: its result, and what that was merged with; undefined: that is gone, or was not said. */
  readonly began: { readonly result: SavedHead; readonly merged: SavedHead | null } | undefined;
  /** What was generated of it; undefined: nothing. */
  readonly base: SavedHead | undefined;
  readonly baseProjectId: string | undefined;
  /** The version of the newest put source that it contains. */
  readonly sourceVersion: number;
}

/** The source that a person put, or else what is live; undefined if there is neither. */
export async function findPrevious({ db, plans }: Deps, applicationId: string): Promise<Previous | undefined> {
  const { live, put } = await findCandidates(db, applicationId);
  const chosen = choosePrevious(put, live);
  return chosen && previousOf({ db, plans }, applicationId, chosen);
}

/** A summary of the same, for an owner's documents with this id. */
export async function describePrevious(deps: Deps, ownerId: string, documentId: string) {
  const applicationId = await findApplicationOf(deps.db, ownerId, documentId);
  const previous = applicationId === undefined ? undefined : await findPrevious(deps, applicationId);
  const putAt = previous !== undefined && "put_at" in previous.from ? previous.from.put_at : null;
  return { applicationId: applicationId ?? null, projectId: previous?.baseProjectId ?? null, putAt };
}

/** A put source counts until a project that contains it is live. */
export function choosePrevious(put: PutSource | null, live: LiveProject | null): PutSource | LiveProject | undefined {
  if (put === null) return live ?? undefined;
  return live !== null && live.sourceVersion >= put.version ? live : put;
}

async function previousOf(
  { db, plans }: Deps,
  applicationId: string,
  chosen: PutSource | LiveProject,
): Promise<Previous | undefined> {
  if ("source" in chosen) {
    const { source, base, baseProjectId, putAt, version } = chosen;
    return {
      from: { put_at: putAt.toISOString() },
      source,
      repositoryId: applicationId,
      began: baseProjectId === null ? undefined : await findBegan({ db, plans }, baseProjectId),
      base: base ?? undefined,
      baseProjectId: baseProjectId ?? undefined,
      sourceVersion: version,
    };
  }
  const began = await findBegan({ db, plans }, chosen.id);
  if (began === undefined) return undefined;
  return {
    from: { project_id: chosen.id },
    source: began.result,
    repositoryId: chosen.id,
    began,
    base: chosen.generated,
    baseProjectId: chosen.id,
    sourceVersion: chosen.sourceVersion,
  };
}

async function findBegan({ db, plans }: Deps, projectId: string): Promise<Previous["began"]> {
  const result = (await readRun(db, plans, projectId))?.state.head;
  return result == null ? undefined : { result, merged: (await findLatestGeneration(db, projectId))?.merged ?? null };
}
