import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { Database } from "../../platform/database/index.ts";
import { type Principal, readsAllProjects, rolesThatReadAllProjects } from "../../platform/http/index.ts";

/** Columns of the query that say for whom a webhook reads. */
interface ReaderColumns {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  readonly removedAt: string;
  /** Of the webhook. */
  readonly teamId: string;
}

/** Columns of the query that say whose something is. */
interface OwnerColumns {
  readonly ownerId: string;
  readonly teamId: string;
}

/** Columns of the query that say what is read. */
interface ProjectColumns extends OwnerColumns {
  readonly id: string;
}

const joinedReader: ReaderColumns = {
  id: "users.id",
  name: "users.name",
  role: "users.role",
  removedAt: "users.removed_at",
  teamId: "webhooks.team_id",
};
const joinedProject: ProjectColumns = {
  id: "projects.id",
  ownerId: "projects.owner_id",
  teamId: "projects.team_id",
};

/** The condition under which a caller may read the project that the query joins. */
export function readableBy(principal: Principal): RawBuilder<SqlBool> {
  if (readsAllProjects(principal)) return sql<SqlBool>`true`;
  const isTheirs = belongsTo(principal, joinedProject);
  // A key of a team reaches nothing but the team's, whatever its maker was asked to approve.
  if (principal.onlyTeamId !== undefined) return isTheirs;
  return sql<SqlBool>`(${isTheirs} or ${approves(sql`${principal.userName}`, joinedProject)})`;
}

/** The condition under which a list of the caller shows what the query joins: their own, and what their teams share. */
export function listedFor(principal: Principal, table: "projects" | "applications"): RawBuilder<SqlBool> {
  if (readsAllProjects(principal)) return sql<SqlBool>`true`;
  return belongsTo(principal, ownerOf(table));
}

/** The condition under which a caller may change what the query joins: administrators change everything. */
export function changeableBy(
  principal: Principal,
  table: "projects" | "applications" | "webhooks",
): RawBuilder<SqlBool> {
  if (principal.role === "svc:admin" && principal.onlyTeamId === undefined) return sql<SqlBool>`true`;
  return belongsTo(principal, ownerOf(table));
}

/**
 * The condition under which the webhook that the query joins may tell of the project that it joins: a team's webhook of the
 * team's projects, any other of what its owner may read. A removed owner reads nothing.
 */
export function readableByWebhook(reader = joinedReader, project = joinedProject): RawBuilder<SqlBool> {
  const roles = sql.join(rolesThatReadAllProjects.map((role) => sql.lit(role)));
  const teamId = sql.ref(project.teamId);
  return sql<SqlBool>`(case when ${sql.ref(reader.teamId)} is not null then ${teamId} = ${sql.ref(reader.teamId)}
    else ${sql.ref(reader.removedAt)} is null and (
      ${sql.ref(reader.role)} in (${roles}) or ${sql.ref(project.ownerId)} = ${sql.ref(reader.id)}
      or ${teamId} is not null and exists (
        select from team_members where team_members.team_id = ${teamId} and team_members.user_id = ${sql.ref(reader.id)})
      or ${approves(sql.ref(reader.name), project)}) end)`;
}

/** Which of these projects the caller may read. */
export async function selectReadable(
  db: Database,
  ids: readonly string[],
  principal: Principal,
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const { rows } = await sql<{ id: string }>`
    select id from projects where id = any(${ids}::text[]) and ${readableBy(principal)}`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

function ownerOf(table: string): OwnerColumns {
  return { ownerId: `${table}.owner_id`, teamId: `${table}.team_id` };
}

/** Whether something is the caller's own or of a team of theirs. Teams are not looked up: who authenticated them did that. */
function belongsTo({ userId, teamIds, onlyTeamId }: Principal, { ownerId, teamId }: OwnerColumns): RawBuilder<SqlBool> {
  if (onlyTeamId !== undefined) return sql<SqlBool>`${sql.ref(teamId)} = ${onlyTeamId}`;
  if (teamIds.length === 0) return sql<SqlBool>`${sql.ref(ownerId)} = ${userId}`;
  return sql<SqlBool>`(${sql.ref(ownerId)} = ${userId} or ${sql.ref(teamId)} = any(${[...teamIds]}::text[]))`;
}

/** Users also read the projects that ask, or asked, them for an approval. */
function approves(userName: RawBuilder<unknown>, project: ProjectColumns): RawBuilder<SqlBool> {
  return sql<SqlBool>`exists (
    select from approvals where approvals.project_id = ${sql.ref(project.id)} and ${userName} = any(approvals.approvers)
  )`;
}
