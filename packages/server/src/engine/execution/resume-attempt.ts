import type { RunnableAgent, RunRecords } from "../../agents/index.ts";
import type { Sandbox } from "../../platform/sandbox/index.ts";
import type { Attempt } from "../lifecycle/index.ts";
import type { Workspaces, Worktree } from "../workspaces/index.ts";
import { type AgentPermissions, runIdOf } from "./ask-agent.ts";

interface Deps {
  readonly workspaces: Workspaces;
  readonly sandbox: Sandbox;
  readonly records: RunRecords;
  readonly permissions: Pick<AgentPermissions, "withdraw">;
  readonly findAgent: (agentId: string) => RunnableAgent | undefined;
}

/** What an earlier process has left of an attempt that begins again. */
export interface LeftOver {
  /** By what its agent goes on. */
  readonly handle: string;
  /** The folder, and the commit that it was filled from; nothing if it is not on this machine. */
  readonly place: { readonly worktree: Worktree; readonly base: string } | undefined;
}

/** Takes up what a process that died has left of the attempt; nothing if there is nothing to go on with. */
export async function takeUp(parts: Deps, attempt: Attempt): Promise<LeftOver | undefined> {
  const { projectId, taskId, number, agentId, id } = attempt;
  if (isFirstTake(id)) return undefined;
  await parts.permissions.withdraw(projectId, taskId);
  if (parts.findAgent(agentId)?.driver.resume === undefined) return undefined;
  const earlier = await parts.records.findOpen({ projectId, taskId, number });
  if (earlier === undefined || earlier.agentId !== agentId || !isSameJob(earlier.attemptId, id)) return undefined;
  const { handle, attemptId, baseCommit: base } = earlier;
  // Where the node is not dead but was only too slow, its agent may still be at it.
  await parts.sandbox.endOrphans(`${runIdOf(projectId, attemptId)}-`);
  const worktree = await parts.workspaces.adopt(projectId, attemptId, id, base);
  return { handle, place: worktree && { worktree, base } };
}

/** An attempt's id is its job's number, and how often that was taken. */
function isFirstTake(attemptId: string): boolean {
  return attemptId.endsWith("-1");
}

/** After a restart of the project, attempts at a task are counted from the beginning. */
function isSameJob(one: string, other: string): boolean {
  return one.split("-")[0] === other.split("-")[0];
}
