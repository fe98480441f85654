import type { ProjectStatus } from "@slipway/contract";
import { type Selectable, sql } from "kysely";
import type { Database, Schema, Transaction } from "../database/index.ts";
import type { PageRequest } from "../http/index.ts";

export type ProjectRow = Selectable<Schema["projects"]>;

interface NewProject {
  readonly id: string;
  readonly applicationId: string;
  readonly ownerId: string;
  readonly documentId: string;
  readonly name: string;
  readonly outcomeType: string;
  readonly environment: string | null;
  readonly content: Uint8Array;
  readonly now: Date;
}

/** Writes a project, its document, and its application if it is the first of it: one statement, one way to the database. */
export async function insertProject(trx: Transaction, project: NewProject): Promise<void> {
  const { id, applicationId, ownerId, documentId, name, outcomeType, environment, content, now } = project;
  await sql`
    with application as (
      insert into applications (id, owner_id, document_id, created_at)
      values (${applicationId}, ${ownerId}, ${documentId}, ${now})
      on conflict (owner_id, md5(document_id)) do update set document_id = excluded.document_id
      returning id
    ), project as (
      insert into projects (id, application_id, owner_id, document_id, name, outcome_type, environment, created_at, updated_at)
      select ${id}, application.id, ${ownerId}, ${documentId}, ${name}, ${outcomeType}, ${environment}, ${now}, ${now}
      from application
      returning id
    )
    insert into specs (project_id, content) select project.id, ${Buffer.from(content)} from project`.execute(trx);
}

/** Nothing if there is none, or it is not for these eyes. */
export async function findProject(
  db: Database,
  id: string,
  ownerId: string | undefined,
): Promise<ProjectRow | undefined> {
  return db
    .selectFrom("projects")
    .selectAll()
    .where("id", "=", id)
    .$if(ownerId !== undefined, (query) => query.where("owner_id", "=", ownerId ?? ""))
    .executeTakeFirst();
}

export async function findVersion(db: Database, id: string, ownerId: string | undefined): Promise<number | undefined> {
  const row = await db
    .selectFrom("projects")
    .select("version")
    .where("id", "=", id)
    .$if(ownerId !== undefined, (query) => query.where("owner_id", "=", ownerId ?? ""))
    .executeTakeFirst();
  return row?.version;
}

export async function findSpec(db: Database, id: string, ownerId: string | undefined): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom("specs")
    .innerJoin("projects", "projects.id", "specs.project_id")
    .select("specs.content")
    .where("projects.id", "=", id)
    .$if(ownerId !== undefined, (query) => query.where("projects.owner_id", "=", ownerId ?? ""))
    .executeTakeFirst();
  return row?.content;
}

export interface ProjectFilter {
  readonly ownerId: string | undefined;
  readonly status?: ProjectStatus;
  readonly outcome_type?: string;
  readonly id?: string;
  readonly created_after?: string;
  readonly q?: string;
}

export async function selectProjects(
  db: Database,
  filter: ProjectFilter,
  { limit, after }: PageRequest,
): Promise<ProjectRow[]> {
  let query = db
    .selectFrom("projects")
    .selectAll()
    .orderBy("id", "desc")
    .limit(limit + 1);
  if (filter.ownerId !== undefined) query = query.where("owner_id", "=", filter.ownerId);
  if (filter.status !== undefined) query = query.where("status", "=", filter.status);
  if (filter.outcome_type !== undefined) query = query.where("outcome_type", "=", filter.outcome_type);
  if (filter.id !== undefined)
    query = query.where(sql`md5(document_id)`, "=", sql`md5(${filter.id})`).where("document_id", "=", filter.id);
  if (filter.created_after !== undefined) query = query.where("created_at", ">", new Date(filter.created_after));
  if (filter.q !== undefined) {
    const pattern = `%${filter.q.replace(/[\\%_]/g, "\\$&")}%`;
    query = query.where((where) => where.or([where("name", "ilike", pattern), where("document_id", "ilike", pattern)]));
  }
  if (after !== undefined) query = query.where("id", "<", after);
  return query.execute();
}

export interface ApplicationRow {
  readonly id: string;
  readonly document_id: string;
  readonly owner_id: string;
  readonly latest_project_id: string;
  readonly projects: number;
  readonly created_at: Date;
  readonly updated_at: Date | null;
}

export async function selectApplications(
  db: Database,
  ownerId: string | undefined,
  { limit, after }: PageRequest,
): Promise<ApplicationRow[]> {
  const { rows } = await sql<ApplicationRow>`
    select a.id, a.document_id, a.owner_id, a.created_at, runs.latest_project_id, runs.projects, runs.updated_at
    from (
      select * from applications
      where (${ownerId ?? null}::text is null or owner_id = ${ownerId ?? null}) and (${after ?? null}::text is null or id < ${after ?? null})
      order by id desc limit ${limit + 1}
    ) a
    cross join lateral (
      select max(id) as latest_project_id, count(*)::int as projects, max(created_at) as updated_at
      from projects where application_id = a.id
    ) runs
    order by a.id desc`.execute(db);
  return rows;
}
