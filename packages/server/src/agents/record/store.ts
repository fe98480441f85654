import { sql } from "kysely";
import type { Database } from "../../platform/database/index.ts";

/** What an agent receives for an attempt. */
export interface NewAgentRun {
  readonly projectId: string;
  readonly taskId: string;
  readonly number: number;
  readonly agentId: string;
  readonly node: string;
  readonly attemptId: string;
  readonly baseCommit: string;
  readonly prompt: string;
  readonly limits: object;
  /** Resumes the run of an earlier process. */
  readonly handle: string | undefined;
}

/** With the attempt's id: a node that lost the attempt to another one must not write into its record. */
export type AgentRunKey = Pick<NewAgentRun, "projectId" | "taskId" | "number" | "attemptId">;

/** Undefined numbers are unknown. */
export interface AgentRunProgress {
  readonly lastStatus: string;
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  readonly costUsd: number | undefined;
}

/** A run without an end, which a driver can resume. */
export interface OpenAgentRun {
  readonly agentId: string;
  readonly attemptId: string;
  readonly baseCommit: string;
  readonly handle: string;
}

/** Records a run; replaces the one of a node that died during the same attempt. */
export async function upsertAgentRun(db: Database, run: NewAgentRun): Promise<void> {
  await sql`
    insert into agent_runs (project_id, task_id, number, agent_id, node, attempt_id, base_commit, prompt, limits, handle)
    values (${run.projectId}, ${run.taskId}, ${run.number}, ${run.agentId}, ${run.node}, ${run.attemptId},
      ${run.baseCommit}, ${run.prompt}, ${JSON.stringify(run.limits)}, ${run.handle ?? null})
    on conflict (project_id, task_id, number) do update set agent_id = excluded.agent_id, node = excluded.node,
      attempt_id = excluded.attempt_id, base_commit = excluded.base_commit, prompt = excluded.prompt,
      limits = excluded.limits, handle = excluded.handle, last_status = null, input_tokens = null,
      output_tokens = null, cost_usd = null, started_at = now(), ended_at = null, outcome = null`.execute(db);
}

export async function setHandle(db: Database, key: AgentRunKey, handle: string): Promise<void> {
  await sql`update agent_runs set handle = ${handle} where ${isRun(key)}`.execute(db);
}

/** Saves the progress; with an outcome, ends the run. */
export async function updateAgentRun(
  db: Database,
  key: AgentRunKey,
  { lastStatus, inputTokens, outputTokens, costUsd }: AgentRunProgress,
  outcome?: string,
): Promise<void> {
  await sql`
    update agent_runs set last_status = ${lastStatus}, input_tokens = ${inputTokens ?? null},
      output_tokens = ${outputTokens ?? null}, cost_usd = ${costUsd ?? null}, outcome = ${outcome ?? null},
      ended_at = case when ${outcome !== undefined} then now() end
    where ${isRun(key)}`.execute(db);
}

function isRun({ projectId, taskId, number, attemptId }: AgentRunKey) {
  return sql`project_id = ${projectId} and task_id = ${taskId} and number = ${number} and attempt_id = ${attemptId}`;
}

/** The open run of an attempt that starts again after its node died. */
export async function findOpenRun(
  db: Database,
  { projectId, taskId, number }: Pick<AgentRunKey, "projectId" | "taskId" | "number">,
): Promise<OpenAgentRun | undefined> {
  const { rows } = await sql<OpenAgentRun>`
    select agent_id as "agentId", attempt_id as "attemptId", base_commit as "baseCommit", handle from agent_runs
    where project_id = ${projectId} and task_id = ${taskId} and number = ${number}
      and ended_at is null and handle is not null`.execute(db);
  return rows[0];
}

/** Whether an agent could still resume work in the folder of an attempt. */
export async function isRunOpen(db: Database, projectId: string, attemptId: string): Promise<boolean> {
  const { rows } = await sql`
    select from agent_runs where project_id = ${projectId} and attempt_id = ${attemptId}
      and ended_at is null and handle is not null`.execute(db);
  return rows.length > 0;
}
