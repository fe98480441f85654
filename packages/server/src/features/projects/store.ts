import type { ProjectStatus } from "@slipway/contract";
import { type RawBuilder, type Selectable, type SqlBool, sql } from "kysely";
import type { DeploymentRow, ReleaseRow } from "../../deployment/index.ts";
import type { NewEvent } from "../../engine/events/index.ts";
import { engineQueue, insertJobSql, type NewJob } from "../../engine/jobs/index.ts";
import { type Database, plannedAnew, type Schema, type Transaction } from "../../platform/database/index.ts";
import type { PageRequest, Principal } from "../../platform/http/index.ts";
import { firstIdAt } from "../../platform/ids.ts";
import type { AuditRow } from "../audit/index.ts";
import { changeableBy, listedFor, readableBy } from "./readable-by-store.ts";
import { lockTeamsApplication, ownerInTeam } from "./team-store.ts";

export type ProjectRow = Selectable<Schema["projects"]>;

/** A project with the name of its owner, also of one who was removed. */
export type OwnedRow = ProjectRow & { readonly owner_name: string };

const ownerName = sql<string>`(select users.name from users where users.id = projects.owner_id)`.as("owner_name");

interface NewProject {
  readonly id: string;
  readonly applicationId: string;
  readonly ownerId: string;
  /** The team to share it with; null: none, or the one that its application is shared with already. */
  readonly teamId: string | null;
  readonly documentId: string;
  readonly name: string;
  readonly outcomeType: string;
  readonly environment: string | null;
  readonly content: Uint8Array;
  readonly reviewPlan: boolean;
  readonly now: Date;
  /** Its first event. */
  readonly event: NewEvent;
  /** Records who created it. */
  readonly audit: AuditRow;
}

/**
 * Writes a project with its document, its first event, its first job, its audit entry and its application, which counts it.
 * One statement, although the tables belong to several domains: each round trip would cost a tenth of the request.
 */
export async function insertProject(db: Database | Transaction, project: NewProject): Promise<void> {
  if (project.teamId === null) return insertAll(db, project);
  if (!db.isTransaction) return db.transaction().execute((trx) => insertProject(trx, project));
  // Members may submit the first run of the team's application at once: it is one application.
  await lockTeamsApplication(db as Transaction, project.teamId, project.documentId);
  return insertAll(db, project);
}

async function insertAll(db: Database | Transaction, project: NewProject): Promise<void> {
  const { id, applicationId, ownerId, teamId, documentId, name, outcomeType, environment, content, now, event, audit } =
    project;
  const begin: NewJob = {
    queue: engineQueue,
    priority: 2,
    delayMs: 0,
    isPaused: false,
    groupId: id,
    number: 0,
    kind: "begin",
    payload: project.reviewPlan ? { reviewPlan: true } : {},
  };
  await sql`
    with application as (
      insert into applications as known (id, owner_id, document_id, created_at, projects, latest_project_id, updated_at, team_id)
      values (${applicationId}, ${teamId === null ? ownerId : ownerInTeam(teamId, documentId, ownerId)}, ${documentId}, ${now}, 1, ${id}, ${now}, ${teamId})
      on conflict (owner_id, md5(document_id)) do update
        set projects = known.projects + 1,
            latest_project_id = greatest(known.latest_project_id, excluded.latest_project_id),
            updated_at = greatest(known.updated_at, excluded.updated_at)
      returning id, team_id
    ), project as (
      insert into projects (id, application_id, owner_id, document_id, name, outcome_type, environment, review_plan, last_sequence, created_at, updated_at, team_id)
      select ${id}, application.id, ${ownerId}, ${documentId}, ${name}, ${outcomeType}, ${environment}, ${project.reviewPlan}, 1, ${now}, ${now}, application.team_id
      from application
    ), names as (
      insert into project_names (project_id, name, document_id) values (${id}, ${name}, ${documentId})
    ), spec as (
      insert into specs (project_id, content) values (${id}, ${Buffer.from(content)})
    ), event as (
      insert into events (project_id, sequence, id, name, data, created_at)
      values (${id}, 1, ${event.id}, ${event.name}, ${JSON.stringify(event.data)}, ${event.created_at})
    ), job as (
      ${insertJobSql(begin)}
    )
    insert into audit (id, at, actor, actor_name, action, target, address, request_id, detail)
    values (${audit.id}, ${audit.at}, ${audit.actor}, ${audit.actor_name}, ${audit.action}, ${audit.target},
            ${audit.address}, ${audit.request_id}, ${JSON.stringify(audit.detail)})`.execute(db);
}

/** Finds a project that the caller may read. */
export async function findReadableProject(
  db: Database,
  id: string,
  principal: Principal,
): Promise<ProjectRow | undefined> {
  return db.selectFrom("projects").selectAll().where("id", "=", id).where(readableBy(principal)).executeTakeFirst();
}

/** What is live of a project. */
export interface LiveRow {
  readonly deployment_id: string;
  readonly environment: string;
  readonly port: number | null;
  readonly url: string | null;
  readonly wanted: DeploymentRow["wanted"];
  readonly health: DeploymentRow["health"];
  /** Of the deployment. */
  readonly row_version: number;
  readonly version: string;
  readonly usage: string;
  readonly is_run: boolean;
  readonly status: ReleaseRow["status"];
}

/**
 * The deployment whose wanted version the project has made, as a column of a query on projects: in the project's own
 * environment first, then the newest.
 */
const live = sql<LiveRow | null>`(
  select json_build_object(
    'deployment_id', deployments.id, 'environment', deployments.environment, 'port', deployments.port, 'url', deployments.url,
    'wanted', deployments.wanted, 'health', deployments.health, 'row_version', deployments.version,
    'version', releases.version, 'usage', releases.usage, 'is_run', releases.plan is not null, 'status', releases.status)
  from releases join deployments on deployments.release_id = releases.id
  where releases.project_id = projects.id
  order by deployments.environment = coalesce(projects.environment, '') desc, releases.id desc limit 1)`.as("live");

/** Finds a project that the caller may read, with what is live of it. */
export async function findReadableWithLive(
  db: Database,
  id: string,
  principal: Principal,
): Promise<(OwnedRow & { readonly live: LiveRow | null }) | undefined> {
  return db
    .selectFrom("projects")
    .selectAll()
    .select([live, ownerName])
    .where("id", "=", id)
    .where(readableBy(principal))
    .executeTakeFirst();
}

/** Finds a project of anybody. */
export async function findProject(db: Database, id: string): Promise<ProjectRow | undefined> {
  return db.selectFrom("projects").selectAll().where("id", "=", id).executeTakeFirst();
}

/** Finds a project that the caller may change. */
export async function findOwnProject(db: Database, id: string, principal: Principal): Promise<ProjectRow | undefined> {
  const isChangeable = changeableBy(principal, "projects");
  return db.selectFrom("projects").selectAll().where("id", "=", id).where(isChangeable).executeTakeFirst();
}

/** The versions of a project that the caller may read, and of what is live of it; without a caller, of any project. */
export async function findVersions(
  db: Database,
  id: string,
  principal?: Principal,
): Promise<(Pick<ProjectRow, "version"> & { readonly live: LiveRow | null }) | undefined> {
  let query = db.selectFrom("projects").select(["version", live]).where("id", "=", id);
  if (principal !== undefined) query = query.where(readableBy(principal));
  return query.executeTakeFirst();
}

export async function findSpec(db: Database, id: string): Promise<Buffer | undefined> {
  const row = await db.selectFrom("specs").select("content").where("project_id", "=", id).executeTakeFirst();
  return row?.content;
}

/** Who submitted a project; also if they were removed since, because what they deployed goes on. */
export async function findOwner(db: Database, id: string): Promise<{ id: string; name: string }> {
  const owner = await db
    .selectFrom("projects")
    .innerJoin("users", "users.id", "projects.owner_id")
    .select(["users.id", "users.name"])
    .where("projects.id", "=", id)
    .executeTakeFirst();
  if (owner === undefined) throw new Error(`The project ${id} does not exist.`);
  return owner;
}

/** A project's document, and the environment it is for. */
export async function findSubmission(
  db: Database,
  id: string,
): Promise<{ content: Buffer; environment: string | null } | undefined> {
  return db
    .selectFrom("specs")
    .innerJoin("projects", "projects.id", "specs.project_id")
    .select(["specs.content", "projects.environment"])
    .where("projects.id", "=", id)
    .executeTakeFirst();
}

export interface ProjectFilter {
  readonly status?: ProjectStatus;
  readonly outcome_type?: string;
  readonly id?: string;
  readonly created_after?: string;
  readonly q?: string;
}

export async function selectProjects(
  db: Database,
  principal: Principal,
  filter: ProjectFilter,
  { limit, after }: PageRequest,
): Promise<OwnedRow[]> {
  let query = db
    .selectFrom("projects")
    .selectAll()
    .select(ownerName)
    .where(listedFor(principal, "projects"))
    .orderBy("id", "desc")
    .limit(limit + 1);
  if (filter.status !== undefined) query = query.where("status", "=", filter.status);
  if (filter.outcome_type !== undefined) query = query.where("outcome_type", "=", filter.outcome_type);
  if (filter.id !== undefined)
    query = query.where(sql`md5(document_id)`, "=", sql`md5(${filter.id})`).where("document_id", "=", filter.id);
  if (filter.created_after !== undefined) {
    const time = new Date(filter.created_after);
    // Ids sort by creation time: without their bound, Postgres would read all older projects.
    query = query.where("id", ">", firstIdAt("project", time.getTime())).where("created_at", ">", time);
  }
  if (filter.q !== undefined) {
    const pattern = `%${filter.q.replace(/[\\%_]/g, "\\$&")}%`;
    query = query.modifyFront(plannedAnew).where("id", "in", (names) =>
      names
        .selectFrom("project_names")
        .select("project_id")
        .where((where) => where.or([where("name", "ilike", pattern), where("document_id", "ilike", pattern)])),
    );
  }
  if (after !== undefined) query = query.where("id", "<", after);
  return query.execute();
}

/** Which of these projects a list of the caller would show. */
export async function selectListed(db: Database, ids: readonly string[], principal: Principal): Promise<OwnedRow[]> {
  return db
    .selectFrom("projects")
    .selectAll()
    .select(ownerName)
    .where("id", "=", sql<string>`any(${ids}::text[])`)
    .where(listedFor(principal, "projects"))
    .execute();
}

export type ApplicationRow = Selectable<Schema["applications"]>;

/** Finds an application for which a condition of `readable-by-store.ts` holds. */
export async function findApplication(
  db: Database | Transaction,
  id: string,
  condition: RawBuilder<SqlBool>,
): Promise<ApplicationRow | undefined> {
  return db.selectFrom("applications").selectAll().where("id", "=", id).where(condition).executeTakeFirst();
}

/** Locks an application until the transaction ends. */
export async function lockApplication(trx: Transaction, id: string): Promise<void> {
  await trx.selectFrom("applications").select("id").where("id", "=", id).forNoKeyUpdate().execute();
}

export async function selectApplications(
  db: Database,
  principal: Principal,
  { limit, after }: PageRequest,
): Promise<ApplicationRow[]> {
  let query = db
    .selectFrom("applications")
    .selectAll()
    .where(listedFor(principal, "applications"))
    .orderBy("id", "desc")
    .limit(limit + 1);
  if (after !== undefined) query = query.where("id", "<", after);
  return query.execute();
}

/** The latest run of each application with what is live of it, newest application first. */
export async function selectLatestProjects(
  db: Database,
  principal: Principal,
  { limit, after }: PageRequest,
): Promise<(OwnedRow & { readonly live: LiveRow | null })[]> {
  let query = db
    .selectFrom("applications")
    .innerJoin("projects", "projects.id", "applications.latest_project_id")
    .selectAll("projects")
    .select([live, ownerName])
    .where(listedFor(principal, "applications"))
    .orderBy("applications.id", "desc")
    .limit(limit + 1);
  if (after !== undefined) query = query.where("applications.id", "<", after);
  return query.execute();
}
