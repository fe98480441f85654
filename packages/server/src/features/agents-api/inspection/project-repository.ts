import { type PlanCache, readRun } from "../../../engine/lifecycle/index.ts";
import type { Workspaces } from "../../../engine/workspaces/index.ts";
import type { Database } from "../../../platform/database/index.ts";
import { WorkspaceError } from "../../../platform/git/index.ts";

export interface FileParts {
  readonly db: Database;
  readonly plans: PlanCache;
  readonly workspaces: Workspaces;
}

/** Reads from a project's repository; where it is not here, or has not come as far, after it was fetched. */
export async function withRepository<T>(parts: FileParts, projectId: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!isNotHere(error)) throw error;
    await openHead(parts, projectId);
    return read();
  }
}

/** Where the project is by now. */
export async function openHead({ db, plans, workspaces }: FileParts, projectId: string): Promise<string> {
  const head = (await readRun(db, plans, projectId))?.state.head ?? undefined;
  return (await workspaces.open(projectId, head)).commit;
}

/** Made on another node, and not saved yet or not any more. */
export function isNotHere(error: unknown): boolean {
  return error instanceof WorkspaceError && ["repository_missing", "unknown_commit"].includes(error.code);
}
