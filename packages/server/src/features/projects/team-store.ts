import { type RawBuilder, sql } from "kysely";
import type { Database, Transaction } from "../../platform/database/index.ts";

/** The owner of the team's application with this document's id; else the one who submits its first run. */
export function ownerInTeam(teamId: string, documentId: string, ownerId: string): RawBuilder<string> {
  return sql<string>`coalesce((
    select shared.owner_id from applications as shared
    where shared.team_id = ${teamId} and md5(shared.document_id) = md5(${documentId}) and shared.document_id = ${documentId}
  ), ${ownerId})`;
}

/** Whose application a run for a team would belong to, and a private one of the submitter's that would be in its way. */
export async function findTarget(
  db: Database,
  { teamId, documentId, ownerId }: { readonly teamId: string; readonly documentId: string; readonly ownerId: string },
): Promise<{ readonly ownerId: string; readonly isTaken: boolean }> {
  const { rows } = await sql<{ ownerId: string; isTaken: boolean }>`
    select target.owner_id as "ownerId", exists (
      select from applications
      where owner_id = target.owner_id and md5(document_id) = md5(${documentId}) and document_id = ${documentId}
        and team_id is distinct from ${teamId}
    ) as "isTaken"
    from (select ${ownerInTeam(teamId, documentId, ownerId)} as owner_id) as target`.execute(db);
  return rows[0]!;
}

/** One at a time gives a team its application with this document's id. */
export async function lockTeamsApplication(trx: Transaction, teamId: string, documentId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`application ${teamId} ${documentId}`}, 0))`.execute(trx);
}

/** Shares an application and all its runs; false if the team has one with this document's id already. */
export async function updateTeam(
  trx: Transaction,
  { id, document_id }: { readonly id: string; readonly document_id: string },
  teamId: string | null,
): Promise<boolean> {
  if (teamId !== null) await lockTeamsApplication(trx, teamId, document_id);
  const { rows } = await sql`
    select from applications
    where team_id = ${teamId} and md5(document_id) = md5(${document_id}) and document_id = ${document_id} and id <> ${id}`.execute(
    trx,
  );
  if (rows.length > 0) return false;
  await trx.updateTable("applications").set({ team_id: teamId }).where("id", "=", id).execute();
  await trx.updateTable("projects").set({ team_id: teamId }).where("application_id", "=", id).execute();
  return true;
}
