import { sql } from "kysely";
import type { Database, Transaction } from "../../platform/database/index.ts";
import type { PageRequest, Principal } from "../../platform/http/index.ts";
import { newId } from "../../platform/ids.ts";

export interface TeamRow {
  readonly id: string;
  readonly name: string;
  readonly created_at: Date;
  readonly members: number;
}

export interface MemberRow {
  readonly user_id: string;
  readonly name: string;
  readonly provider: string | null;
  readonly added_at: Date;
}

const columns = sql`teams.id, teams.name, teams.created_at,
  (select count(*)::integer from team_members where team_members.team_id = teams.id) as members`;

/** The condition under which a caller may know of a team. */
function knownTo({ role, userId, onlyTeamId }: Principal) {
  if (onlyTeamId !== undefined) return sql`teams.id = ${onlyTeamId}`;
  if (role === "svc:admin") return sql`true`;
  return sql`exists (select from team_members where team_members.team_id = teams.id and team_members.user_id = ${userId})`;
}

/** Returns false if the name is taken. */
export async function insertTeam(trx: Transaction, team: Omit<TeamRow, "members">): Promise<boolean> {
  const result = await trx
    .insertInto("teams")
    .values(team)
    .onConflict((conflict) => conflict.column("name").doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

export async function selectTeams(
  db: Database,
  principal: Principal,
  { limit, after }: PageRequest,
): Promise<TeamRow[]> {
  const { rows } = await sql<TeamRow>`
    select ${columns} from teams
    where ${knownTo(principal)} and (${after ?? null}::text is null or teams.id < ${after ?? null})
    order by teams.id desc limit ${limit + 1}`.execute(db);
  return rows;
}

/** Finds a team by name or id that the caller may know of. */
export async function findTeam(
  db: Database | Transaction,
  principal: Principal,
  nameOrId: string,
): Promise<TeamRow | undefined> {
  const { rows } = await sql<TeamRow>`
    select ${columns} from teams
    where (teams.id = ${nameOrId} or teams.name = ${nameOrId}) and ${knownTo(principal)}
    order by teams.id = ${nameOrId} desc limit 1`.execute(db);
  return rows[0];
}

export async function selectMembers(db: Database, teamId: string, limit: number): Promise<MemberRow[]> {
  return db
    .selectFrom("team_members")
    .innerJoin("users", "users.id", "team_members.user_id")
    .select(["users.id as user_id", "users.name", "team_members.provider", "team_members.added_at"])
    .where("team_members.team_id", "=", teamId)
    .where("users.removed_at", "is", null)
    .orderBy("users.name")
    .limit(limit)
    .execute();
}

/** Locks a team until the transaction ends: to delete it, so that it gets nothing more meanwhile, or against just that. */
export async function lockTeam(
  trx: Transaction,
  id: string,
  isToDelete: boolean,
): Promise<{ id: string; name: string } | undefined> {
  const query = trx.selectFrom("teams").select(["id", "name"]).where("id", "=", id);
  return (isToDelete ? query.forUpdate() : query.forKeyShare()).executeTakeFirst();
}

/** What a team still has that must not be orphaned. */
export async function countBelongings(
  trx: Transaction,
  id: string,
): Promise<{ webhooks: number; service_accounts: number }> {
  const { rows } = await sql<{ webhooks: number; service_accounts: number }>`
    select (select count(*)::integer from webhooks where team_id = ${id}) as webhooks,
      (select count(*)::integer from users where team_id = ${id} and removed_at is null) as service_accounts`.execute(
    trx,
  );
  return rows[0]!;
}

export async function deleteTeam(trx: Transaction, id: string): Promise<void> {
  await trx.deleteFrom("teams").where("id", "=", id).execute();
}

/** Adds a member; whom a provider put there stays when its groups change, from now on. Returns false if an administrator did so before. */
export async function insertMember(
  trx: Transaction,
  member: { team_id: string; user_id: string; provider: string | null; added_at: Date },
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    insert into team_members as known (team_id, user_id, provider, added_at)
    values (${member.team_id}, ${member.user_id}, ${member.provider}, ${member.added_at})
    on conflict (team_id, user_id) do update set provider = null
      where known.provider is not null and excluded.provider is null`.execute(trx);
  return numAffectedRows > 0n;
}

/** Removes a member and ends their keys for the team. Returns false if they were none. */
export async function deleteMember(trx: Transaction, teamId: string, userId: string, now: Date): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom("team_members")
    .where("team_id", "=", teamId)
    .where("user_id", "=", userId)
    .executeTakeFirst();
  await trx
    .updateTable("api_keys")
    .set({ revoked_at: now })
    .where("team_id", "=", teamId)
    .where("user_id", "=", userId)
    .where("revoked_at", "is", null)
    .execute();
  return numDeletedRows > 0n;
}

/** The teams that a provider's groups put a user into. */
export async function selectTeamsByProvider(
  trx: Transaction,
  userId: string,
  provider: string,
): Promise<{ id: string; name: string }[]> {
  return trx
    .selectFrom("team_members")
    .innerJoin("teams", "teams.id", "team_members.team_id")
    .select(["teams.id", "teams.name"])
    .where("user_id", "=", userId)
    .where("provider", "=", provider)
    .execute();
}

/** Takes a user out of every team that a provider's groups put them into. */
export async function leaveMappedTeams(trx: Transaction, userId: string): Promise<void> {
  await trx.deleteFrom("team_members").where("user_id", "=", userId).where("provider", "is not", null).execute();
}

/** The id of a team, which is created if it does not exist. */
export async function ensureTeam(trx: Transaction, name: string, now: Date): Promise<string> {
  const [team] = await ensureTeams(trx, [{ id: newId("team", now.getTime()), name }], now);
  return team!.id;
}

/** Creates the teams that do not exist yet; returns the ids of all. */
export async function ensureTeams(
  trx: Transaction,
  teams: readonly { readonly id: string; readonly name: string }[],
  now: Date,
): Promise<{ id: string; name: string }[]> {
  if (teams.length === 0) return [];
  await trx
    .insertInto("teams")
    .values(teams.map((team) => ({ ...team, created_at: now })))
    .onConflict((conflict) => conflict.column("name").doNothing())
    .execute();
  const names = teams.map(({ name }) => name);
  return trx.selectFrom("teams").select(["id", "name"]).where("name", "in", names).execute();
}
