import { sql } from "kysely";
import type { Database } from "../../platform/database/index.ts";
import type { PageRequest, Principal } from "../../platform/http/index.ts";
import type { Source } from "./store.ts";

/** A sign-in, with all tokens that came of it. */
export interface SessionRow extends Source {
  readonly family_id: string;
  readonly is_browser: boolean;
  readonly last_used_at: Date | null;
  /** When the last of its tokens expires; null: never. */
  readonly expires_at: Date | null;
  readonly is_current: boolean;
}

/** The sign-ins of a user of which some token still works, newest first. */
export async function selectSessions(
  db: Database,
  { userId, tokenId }: Principal,
  now: Date,
  { limit, after }: PageRequest,
): Promise<SessionRow[]> {
  const { rows } = await sql<SessionRow>`
    select family_id, bool_or(kind = 'session') as is_browser, max(last_used_at) as last_used_at,
      max(device) as device, max(address) as address,
      case when bool_or(expires_at is null) then null else max(expires_at) end as expires_at,
      coalesce(bool_or(id = ${tokenId ?? null}), false) as is_current
    from tokens
    where user_id = ${userId} and kind in ('access', 'refresh', 'session')
      and (${after ?? null}::text is null or family_id < ${after ?? null}::text)
    group by family_id
    having bool_or(revoked_at is null and (expires_at is null or expires_at > ${now}))
    order by family_id desc
    limit ${limit + 1}`.execute(db);
  return rows;
}
