import { type PlanCache, readRun } from "../../../engine/lifecycle/index.ts";
import type { Workspaces } from "../../../engine/workspaces/index.ts";
import type { Database } from "../../../platform/database/index.ts";
import { WorkspaceError } from "../../../platform/git/index.ts";
import type { AgentRunRow } from "./store.ts";

export interface RepositoryDeps {
  readonly db: Database;
  readonly plans: PlanCache;
  readonly workspaces: Workspaces;
  /** The values that an agent was given for a project, and that nobody else may see. */
  readonly findSecrets: (run: AgentRunRow) => Promise<readonly string[]>;
}

/** Reads from a project's repository; fetches it first if this node lacks it or the commit. */
export async function withRepository<T>(deps: RepositoryDeps, projectId: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!isNotHere(error)) throw error;
    await openHead(deps, projectId);
    return read();
  }
}

/** Fetches the repository if need be and returns the commit of the project's head. */
export async function openHead({ db, plans, workspaces }: RepositoryDeps, projectId: string): Promise<string> {
  const head = (await readRun(db, plans, projectId))?.state.head ?? undefined;
  return (await workspaces.open(projectId, head)).commit;
}

/** Whether the commit exists only on another node: it is not saved yet, or not any more. */
export function isNotHere(error: unknown): boolean {
  return error instanceof WorkspaceError && ["repository_missing", "unknown_commit"].includes(error.code);
}
