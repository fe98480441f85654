import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { Database } from "../../platform/database/index.ts";
import { type Principal, readsAllProjects, rolesThatReadAllProjects } from "../../platform/http/index.ts";

/** Columns of the query that say who reads. */
interface UserColumns {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  readonly removedAt: string;
}

/** Columns of the query that say what is read. */
interface ProjectColumns {
  readonly id: string;
  readonly ownerId: string;
}

const joinedUser: UserColumns = {
  id: "users.id",
  name: "users.name",
  role: "users.role",
  removedAt: "users.removed_at",
};
const joinedProject: ProjectColumns = { id: "projects.id", ownerId: "projects.owner_id" };

/** The condition under which a caller may read the project that the query joins. */
export function readableBy(principal: Principal): RawBuilder<SqlBool> {
  if (readsAllProjects(principal)) return sql<SqlBool>`true`;
  return ownsOrApproves({ id: sql`${principal.userId}`, name: sql`${principal.userName}` }, joinedProject);
}

/** The condition under which a user whom the query joins may read the project that it joins; a removed one reads nothing. */
export function readableByUser(user = joinedUser, project = joinedProject): RawBuilder<SqlBool> {
  const roles = sql.join(rolesThatReadAllProjects.map((role) => sql.lit(role)));
  const condition = ownsOrApproves({ id: sql.ref(user.id), name: sql.ref(user.name) }, project);
  return sql<SqlBool>`(${sql.ref(user.removedAt)} is null and (${sql.ref(user.role)} in (${roles}) or ${condition}))`;
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

/** Users read their own projects and those that ask, or asked, them for an approval. */
function ownsOrApproves(
  user: { readonly id: RawBuilder<unknown>; readonly name: RawBuilder<unknown> },
  project: ProjectColumns,
): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${sql.ref(project.ownerId)} = ${user.id} or exists (
    select from approvals where approvals.project_id = ${sql.ref(project.id)} and ${user.name} = any(approvals.approvers)
  ))`;
}
