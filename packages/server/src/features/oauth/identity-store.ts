import type { Role } from "@slipway/contract";
import { sql } from "kysely";
import type { Database, Transaction } from "../../platform/database/index.ts";

/** Who somebody is at a provider, and as whom they are known here. */
export interface IdentityRow {
  readonly provider: string;
  readonly subject: string;
  readonly user_id: string;
  readonly roles: string[];
  readonly tokens: Buffer | null;
  readonly checked_at: Date;
}

interface KnownIdentity extends IdentityRow {
  readonly user_name: string;
  readonly role: Role;
  readonly removed_at: Date | null;
}

/** Locks an identity until the transaction ends: of two sign-ins at once, the second sees what the first made. */
export async function lockIdentity(
  trx: Transaction,
  provider: string,
  subject: string,
): Promise<KnownIdentity | undefined> {
  // A new identity has no row yet that could be locked.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`identity ${provider} ${subject}`}, 0))`.execute(trx);
  return trx
    .selectFrom("identities")
    .innerJoin("users", "users.id", "identities.user_id")
    .selectAll("identities")
    .select(["users.name as user_name", "users.role", "users.removed_at"])
    .where("provider", "=", provider)
    .where("subject", "=", subject)
    .executeTakeFirst();
}

/** Stores what the provider said, and until when that counts. */
export async function saveIdentity(
  trx: Transaction,
  row: Omit<IdentityRow, "tokens"> & { readonly tokens: Buffer },
  accessUntil: Date,
): Promise<void> {
  const { provider: _, subject: __, ...changes } = row;
  await trx
    .insertInto("identities")
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(["provider", "subject"]).doUpdateSet({ ...changes, claimed_until: null }),
    )
    .execute();
  await trx.updateTable("users").set({ access_until: accessUntil }).where("id", "=", row.user_id).execute();
}

/** Keeps tokens in place of others, unless somebody has signed in or out meanwhile. */
export async function exchangeTokens(
  db: Database,
  { provider, subject, tokens: before }: Pick<IdentityRow, "provider" | "subject"> & { readonly tokens: Buffer },
  tokens: Buffer,
): Promise<void> {
  await db
    .updateTable("identities")
    .set({ tokens })
    .where("provider", "=", provider)
    .where("subject", "=", subject)
    .where("tokens", "=", before)
    .execute();
}

/** Forgets the provider's tokens: nobody checks this identity again until its next sign-in. */
export async function closeIdentity(trx: Transaction, userId: string, accessUntil: Date | undefined): Promise<void> {
  await trx
    .updateTable("identities")
    .set({ tokens: null, roles: [], claimed_until: null })
    .where("user_id", "=", userId)
    .execute();
  if (accessUntil !== undefined)
    await trx.updateTable("users").set({ access_until: accessUntil }).where("id", "=", userId).execute();
}

/** Whether a user has anything left that works without a new sign-in: tokens, keys, webhooks. */
const isInUse = (now: Date) => sql<boolean>`(
  exists (select from tokens where tokens.user_id = identities.user_id and tokens.revoked_at is null
    and tokens.kind in ('access', 'refresh', 'session') and (tokens.expires_at is null or tokens.expires_at > ${now}))
  or exists (select from api_keys where api_keys.user_id = identities.user_id and api_keys.revoked_at is null
    and api_keys.expires_at > ${now})
  or exists (select from webhooks where webhooks.owner_id = identities.user_id and webhooks.team_id is null
    and webhooks.status <> 'disabled'))`;

interface Due {
  readonly now: Date;
  /** Checked before then. */
  readonly before: Date;
  readonly claimUntil: Date;
}

/** Claims identities that are in use and were not checked for a while; another node claims others. */
export async function claimDue(
  db: Database,
  { now, before, claimUntil, except }: Due & { readonly except: readonly string[] },
  limit: number,
): Promise<IdentityRow[]> {
  const { rows } = await sql<IdentityRow>`
    update identities set claimed_until = ${claimUntil}
    where (provider, subject) in (
      select provider, subject from identities
      where tokens is not null and checked_at <= ${before} and (claimed_until is null or claimed_until < ${now})
        and provider <> all(${except}::text[]) and ${isInUse(now)}
      order by checked_at limit ${limit} for update skip locked)
    returning provider, subject, user_id, roles, tokens, checked_at`.execute(db);
  return rows;
}

/** Claims one user's identity, if it was not checked for a while and nobody else checks it now. */
export async function claimOf(
  db: Database,
  userId: string,
  { now, before, claimUntil }: Due,
): Promise<IdentityRow | undefined> {
  return db
    .updateTable("identities")
    .set({ claimed_until: claimUntil })
    .where("user_id", "=", userId)
    .where("tokens", "is not", null)
    .where("checked_at", "<=", before)
    .where(({ or, eb }) => or([eb("claimed_until", "is", null), eb("claimed_until", "<", now)]))
    .returning(["provider", "subject", "user_id", "roles", "tokens", "checked_at"])
    .executeTakeFirst();
}

/** The tokens of an identity that nothing needs any more; they are forgotten here. */
export async function takeUnused(db: Database, userId: string, now: Date): Promise<IdentityRow | undefined> {
  const { rows } = await sql<IdentityRow>`
    with found as (
      select * from identities where user_id = ${userId} and tokens is not null and not ${isInUse(now)} for update
    )
    update identities set tokens = null from found
    where identities.provider = found.provider and identities.subject = found.subject
    returning found.provider, found.subject, found.user_id, found.roles, found.tokens, found.checked_at`.execute(db);
  return rows[0];
}
