import type { TotalUsage, Usage } from "@slipway/contract";
import { sql } from "kysely";
import type { Database, Transaction } from "../../platform/database/index.ts";
import type { PageRequest } from "../../platform/http/index.ts";

/** The ended attempts at these tasks, in order. */
export async function selectAttempts(db: Database, projectId: string, taskIds: readonly string[]) {
  if (taskIds.length === 0) return [];
  return db
    .selectFrom("attempts")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("task_id", "in", [...taskIds])
    .orderBy("number")
    .execute();
}

export interface AttemptUsage extends Usage {
  readonly task_id: string;
  readonly number: number;
}

/** The usage of the attempts at these tasks, running ones included. */
export async function selectUsage(
  db: Database,
  projectId: string,
  taskIds: readonly string[],
): Promise<AttemptUsage[]> {
  if (taskIds.length === 0) return [];
  return db
    .selectFrom("agent_runs")
    .select(["task_id", "number", "input_tokens", "output_tokens", "cost_usd"])
    .where("project_id", "=", projectId)
    .where("task_id", "in", [...taskIds])
    .execute();
}

/** The usage of all attempts of a project. */
export async function sumUsage(db: Database, projectId: string): Promise<TotalUsage> {
  const { rows } = await sql<TotalUsage>`
    select sum(input_tokens)::bigint as input_tokens, sum(output_tokens)::bigint as output_tokens, sum(cost_usd) as cost_usd,
      coalesce(bool_and(num_nulls(input_tokens, output_tokens, cost_usd) = 0), true) as is_complete
    from agent_runs where project_id = ${projectId}`.execute(db);
  return rows[0]!;
}

export async function selectCheckpoints(db: Database, projectId: string, { limit, after }: PageRequest) {
  let query = db.selectFrom("checkpoints").selectAll().where("project_id", "=", projectId);
  if (after !== undefined) query = query.where("id", "<", after);
  return query
    .orderBy("id", "desc")
    .limit(limit + 1)
    .execute();
}

/** Locks what is deployed of the project's application, until the transaction ends. */
export async function lockDeploymentsOf(trx: Transaction, projectId: string): Promise<void> {
  await sql`
    select from deployments where application_id = (select application_id from projects where id = ${projectId})
    order by id for update`.execute(trx);
}

/** A further environment that the project's result is on its way to. */
export async function findEnvironmentInFlight(trx: Transaction, projectId: string): Promise<string | undefined> {
  const { rows } = await sql<{ environment: string }>`
    select promotion.key as environment
    from projects, json_each(coalesce(projects.state -> 'promotions' -> 'of', '{}'::json)) as promotion
    where projects.id = ${projectId} and promotion.value ->> 'is' in ('queued', 'asking', 'running')
    limit 1`.execute(trx);
  return rows[0]?.environment;
}

export interface NeedingDeployment {
  readonly id: string;
  readonly application_id: string;
  readonly environment: string;
  /** It runs what the project made. */
  readonly is_live: boolean;
}

/** A deployment that would lose what it runs, or all of its data, with the project. */
export async function findDeploymentThatNeeds(
  trx: Transaction,
  projectId: string,
): Promise<NeedingDeployment | undefined> {
  const { rows } = await sql<NeedingDeployment>`
    select deployments.id, deployments.application_id, deployments.environment, live.id is not null as is_live
    from projects
    join applications on applications.id = projects.application_id
    join deployments on deployments.application_id = applications.id
    left join releases live
      on live.id = deployments.release_id and live.project_id = projects.id and deployments.wanted = 'running'
    where projects.id = ${projectId} and (
      live.id is not null
      -- The application goes with its last project, and what it has deployed with it.
      or applications.projects = 1 and (deployments.release_id is not null or deployments.wanted = 'stopped')
    )
    order by is_live desc limit 1`.execute(trx);
  return rows[0];
}

/** Deletes a project that has ended, and its application if that has no other project; returns whether it was deleted. */
export async function deleteEndedProject(trx: Transaction, projectId: string): Promise<boolean> {
  const { rows } = await sql`
    with gone as (
      delete from projects where id = ${projectId} and status in ('failed', 'deployed') returning application_id
    ), left_without as (
      update deployments set release_id = null, version = version + 1
      where release_id in (select id from releases where project_id in (select ${projectId}::text from gone))
    )
    update applications set
      projects = projects - 1,
      latest_project_id = coalesce(
        (select max(id) from projects where application_id = applications.id and id <> ${projectId}), latest_project_id
      )
    from gone where applications.id = gone.application_id
    returning applications.id, applications.projects`.execute(trx);
  const [application] = rows as { id: string; projects: number }[];
  // A concurrent new project has already raised the count; then the application stays.
  if (application?.projects === 0)
    await sql`delete from applications where id = ${application.id} and projects = 0`.execute(trx);
  return application !== undefined;
}
