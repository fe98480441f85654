import type { EventName } from "@slipway/contract";
import { sql } from "kysely";
import type { Database, Transaction } from "../../platform/database/index.ts";
import type { BoundedData } from "../events/index.ts";
import type { Plan, Rules } from "./plan.ts";
import type { WaitingFor } from "./progress.ts";
import type { Head, RunError, RunState } from "./state.ts";

export interface RunRow {
  readonly id: string;
  /** Null until it has begun. */
  readonly state: RunState | null;
  readonly planVersion: number | null;
  readonly lastSequence: number;
  /** A person is to look at the plan. */
  readonly reviewPlan: boolean;
}

/** Locks runs until the transaction ends, always in the same order: two that want the same ones do not block each other. */
export async function lockRuns(trx: Transaction, ids: readonly string[]): Promise<RunRow[]> {
  const { rows } = await sql<RunRow>`
    select id, state, plan_version as "planVersion", last_sequence as "lastSequence", review_plan as "reviewPlan"
    from projects where id = any(${ids}::text[]) order by id for no key update`.execute(trx);
  return rows;
}

/** The run as it is, without holding anybody up. */
export async function findRun(db: Database, id: string): Promise<RunRow | undefined> {
  const { rows } = await sql<RunRow>`
    select id, state, plan_version as "planVersion", last_sequence as "lastSequence", review_plan as "reviewPlan"
    from projects where id = ${id}`.execute(db);
  return rows[0];
}

/** The content of a plan row: the plan and its rules. */
export interface PlanContent {
  readonly plan: Plan;
  readonly rules: Rules;
}

export interface PlanKey {
  readonly projectId: string;
  readonly version: number;
}

export async function selectPlans(
  db: Database,
  keys: readonly PlanKey[],
): Promise<(PlanKey & { content: PlanContent })[]> {
  const { rows } = await sql<PlanKey & { content: PlanContent }>`
    select project_id as "projectId", version, content from plans
    where (project_id, version) in (
      select * from unnest(${keys.map((key) => key.projectId)}::text[], ${keys.map((key) => key.version)}::integer[])
    )`.execute(db);
  return rows;
}

/** One plan of a run, whichever it follows now. */
export async function readPlan(db: Database, projectId: string, version: number): Promise<PlanContent | undefined> {
  const [found] = await selectPlans(db, [{ projectId, version }]);
  return found?.content;
}

export async function insertPlans(
  trx: Transaction,
  plans: readonly (PlanKey & { content: PlanContent })[],
): Promise<void> {
  if (plans.length === 0) return;
  await sql`
    insert into plans (project_id, version, content)
    select "projectId", version, content
    from json_to_recordset(${JSON.stringify(plans)}) as plan ("projectId" text, version integer, content json)`.execute(
    trx,
  );
}

/** A run as it is to be saved. */
interface SavedRun {
  readonly id: string;
  readonly status: RunState["status"];
  readonly currentPhase: string;
  readonly progress: number;
  readonly waitingFor: WaitingFor | null;
  readonly agents: Readonly<Record<string, string>>;
  readonly error: RunError | null;
  readonly state: RunState;
  readonly planVersion: number | null;
  readonly lastSequence: number;
}

export interface SavedEvent {
  readonly projectId: string;
  readonly sequence: number;
  readonly id: string;
  readonly name: EventName;
  readonly data: BoundedData;
}

export interface SavedAttempt {
  readonly projectId: string;
  readonly taskId: string;
  readonly number: number;
  readonly agentId: string;
  /** Times as the database writes them. */
  readonly queuedAt: string;
  readonly startedAt: string | null;
  readonly outcome: "completed" | "failed";
  readonly error: RunError | null;
}

export interface CheckpointRow {
  readonly id: string;
  readonly projectId: string;
  readonly phase: string;
  readonly planVersion: number;
  readonly state: RunState;
  readonly createdAt: Date;
}

/** Everything that one batch commit writes. */
export interface SavedBatch {
  readonly runs: readonly SavedRun[];
  readonly events: readonly SavedEvent[];
  readonly attempts: readonly SavedAttempt[];
  readonly checkpoints: readonly CheckpointRow[];
}

/** Saves runs with their events, attempts and checkpoints, in one statement to save round trips. */
export async function saveRuns(
  trx: Transaction,
  now: Date,
  { runs, events, attempts, checkpoints }: SavedBatch,
): Promise<void> {
  await sql`
    with attempt as (
      insert into attempts (project_id, task_id, number, agent_id, queued_at, started_at, ended_at, outcome, error)
      select "projectId", "taskId", number, "agentId", "queuedAt", "startedAt", now(), outcome, error
      from json_to_recordset(${JSON.stringify(attempts)}) as attempt (
        "projectId" text, "taskId" text, number integer, "agentId" text, "queuedAt" timestamptz, "startedAt" timestamptz, outcome text, error json
      )
    ), event as (
      insert into events (project_id, sequence, id, name, data, created_at)
      select "projectId", sequence, id, name, data, ${now}
      from json_to_recordset(${JSON.stringify(events)}) as event (
        "projectId" text, sequence bigint, id text, name text, data jsonb
      )
    ), checkpoint as (
      insert into checkpoints (id, project_id, phase, plan_version, state, created_at)
      select id, "projectId", phase, "planVersion", state::json, ${now}
      from unnest(
        ${checkpoints.map(({ id }) => id)}::text[], ${checkpoints.map(({ projectId }) => projectId)}::text[],
        ${checkpoints.map(({ phase }) => phase)}::text[], ${checkpoints.map(({ planVersion }) => planVersion)}::integer[],
        string_to_array(${jsonLines(checkpoints.map(({ state }) => state))}, E'\\n')
      ) as checkpoint (id, "projectId", phase, "planVersion", state)
    )
    update projects set
      status = run.status, current_phase = run."currentPhase", progress = run.progress, waiting_for = run."waitingFor",
      agents = run.agents::jsonb, error = run.error::jsonb, state = run.state::json, plan_version = run."planVersion",
      last_sequence = run."lastSequence", version = version + 1, updated_at = ${now}
    from unnest(
      ${runs.map(({ id }) => id)}::text[], ${runs.map(({ status }) => status)}::text[],
      ${runs.map(({ currentPhase }) => currentPhase)}::text[], ${runs.map(({ progress }) => progress)}::double precision[],
      ${runs.map(({ waitingFor }) => waitingFor)}::text[], string_to_array(${jsonLines(runs.map(({ agents }) => agents))}, E'\\n'),
      ${runs.map(({ error }) => error && JSON.stringify(error))}::text[],
      string_to_array(${jsonLines(runs.map(({ state }) => state))}, E'\\n'),
      ${runs.map(({ planVersion }) => planVersion)}::integer[], ${runs.map(({ lastSequence }) => lastSequence)}::bigint[]
    ) as run (id, status, "currentPhase", progress, "waitingFor", agents, error, state, "planVersion", "lastSequence")
    where projects.id = run.id`.execute(trx);
}

/** JSON has no line breaks. So written, Postgres takes many states apart three times as fast as out of one JSON array. */
function jsonLines(values: readonly object[]): string {
  return values.map((value) => JSON.stringify(value)).join("\n");
}

/** Where a project's files are, now or at a checkpoint; nothing where there is no such project or checkpoint, or no file yet. */
export async function findHead(db: Database, projectId: string, checkpointId?: string): Promise<Head | undefined> {
  const { rows } = await (checkpointId === undefined
    ? sql<{ head: Head | null }>`select state -> 'head' as head from projects where id = ${projectId}`
    : sql<{ head: Head | null }>`
        select state -> 'head' as head from checkpoints where project_id = ${projectId} and id = ${checkpointId}`
  ).execute(db);
  return rows[0]?.head ?? undefined;
}

export async function findCheckpoint(db: Database, projectId: string, id: string): Promise<CheckpointRow | undefined> {
  const { rows } = await sql<CheckpointRow>`
    select id, project_id as "projectId", phase, plan_version as "planVersion", state, created_at as "createdAt"
    from checkpoints where project_id = ${projectId} and id = ${id}`.execute(db);
  return rows[0];
}
