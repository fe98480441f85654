import type { RunnableAgent, RunRecords } from "../../agents/index.ts";
import type { Sandbox } from "../../platform/sandbox/index.ts";
import type { Attempt } from "../lifecycle/index.ts";
import type { Workspaces, Worktree } from "../workspaces/index.ts";
import type { AgentPermissions } from "./agent-permissions.ts";

export interface ResumeDeps {
  readonly workspaces: Workspaces;
  readonly sandbox: Sandbox;
  readonly records: RunRecords;
  readonly permissions: AgentPermissions;
  readonly findAgent: (agentId: string) => RunnableAgent | undefined;
}

/** An attempt that begins again after the process that worked on it died. */
interface InterruptedAttempt {
  /** By which its agent continues. */
  readonly handle: string;
  /** Its folder, and the commit that it was filled from; undefined if they are not on this machine. */
  readonly left: { readonly worktree: Worktree; readonly base: string } | undefined;
}

/** Takes over what a process that died left of the attempt; undefined if its agent has to begin anew. */
export async function resumeAttempt(deps: ResumeDeps, attempt: Attempt): Promise<InterruptedAttempt | undefined> {
  const { projectId, taskId, number, agentId, id } = attempt;
  if (isFirstTake(id)) return undefined;
  await deps.permissions.withdraw(projectId, taskId);
  if (deps.findAgent(agentId)?.driver.resume === undefined) return undefined;
  const earlier = await deps.records.findOpen({ projectId, taskId, number });
  if (earlier === undefined || earlier.agentId !== agentId || !isSameJob(earlier.attemptId, id)) return undefined;
  const { handle, attemptId, baseCommit: base } = earlier;
  // The other node may not be dead but only slow: its agent may still be working.
  await deps.sandbox.endOrphans(`${runIdOf(projectId, attemptId)}-`);
  const worktree = await deps.workspaces.adopt(projectId, attemptId, id, base);
  return { handle, left: worktree && { worktree, base } };
}

/** The prefix of an attempt's run ids in the sandbox; each of its programs appends a number. */
export function runIdOf(projectId: string, attemptId: string): string {
  return `${projectId}-${attemptId}`;
}

/** An attempt's id is its job's number, and how often that job was claimed. */
function isFirstTake(attemptId: string): boolean {
  return attemptId.endsWith("-1");
}

/** After a restart of the project, attempts at a task are counted from the beginning. */
function isSameJob(one: string, other: string): boolean {
  return one.split("-")[0] === other.split("-")[0];
}
