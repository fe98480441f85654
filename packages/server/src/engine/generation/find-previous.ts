import type { Database } from "../../platform/database/index.ts";
import { type PlanCache, readRun } from "../lifecycle/index.ts";
import type { SavedHead } from "../workspaces/index.ts";

import type { MergedWith } from "./merge-report.ts";
import { findApplicationOf, findCandidates, type LiveProject, type PutSource } from "./store.ts";

interface Deps {
  readonly db: Database;
  readonly plans: PlanCache;
}

/** What the next run of an application begins from. */
export interface Previous {
  readonly from: MergedWith;
  readonly source: SavedHead;
  /** Where the repository with the source is: a project's or an application's. */
  readonly keptBy: string;
  /** What of it was generated; nothing: none of it. */
  readonly base: SavedHead | undefined;
  readonly baseProjectId: string | undefined;
  /** Up to which source that was put it has the changes in it. */
  readonly sourceVersion: number;
}

/** What a person put, or else what is live; nothing if there is neither. */
export async function findPrevious({ db, plans }: Deps, applicationId: string): Promise<Previous | undefined> {
  const { live, put } = await findCandidates(db, applicationId);
  const chosen = choosePrevious(put, live);
  return chosen && previousOf({ db, plans }, applicationId, chosen);
}

/** The same in short, for the documents of an owner that have this id. */
export async function describePrevious(parts: Deps, ownerId: string, documentId: string) {
  const applicationId = await findApplicationOf(parts.db, ownerId, documentId);
  const previous = applicationId === undefined ? undefined : await findPrevious(parts, applicationId);
  const putAt = previous !== undefined && "put_at" in previous.from ? previous.from.put_at : null;
  return { applicationId: applicationId ?? null, projectId: previous?.baseProjectId ?? null, putAt };
}

/** What was put counts until a project that has it in it is live. */
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
      keptBy: applicationId,
      base: base ?? undefined,
      baseProjectId: baseProjectId ?? undefined,
      sourceVersion: version,
    };
  }
  const head = (await readRun(db, plans, chosen.id))?.state.head;
  if (head == null) return undefined;
  return {
    from: { project_id: chosen.id },
    source: head,
    keptBy: chosen.id,
    base: chosen.generated,
    baseProjectId: chosen.id,
    sourceVersion: chosen.sourceVersion,
  };
}
