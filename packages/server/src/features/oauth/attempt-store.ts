import type { Database } from "../../platform/database/index.ts";

export interface AttemptRow {
  readonly state: string;
  readonly provider: string;
  readonly browser: Buffer;
  readonly checks: Buffer;
  readonly return_to: string;
  readonly expires_at: Date;
}

export async function insertAttempt(db: Database, row: AttemptRow): Promise<void> {
  await db.insertInto("sign_in_attempts").values(row).execute();
}

/**
 * Takes an attempt, once: by the browser that began it, for the provider that it was begun with. Whoever brings another
 * browser's state takes nothing.
 */
export async function takeAttempt(
  db: Database,
  { state, provider, browser }: Pick<AttemptRow, "state" | "provider" | "browser">,
  now: Date,
): Promise<AttemptRow | undefined> {
  return db
    .deleteFrom("sign_in_attempts")
    .where("state", "=", state)
    .where("provider", "=", provider)
    .where("browser", "=", browser)
    .where("expires_at", ">", now)
    .returningAll()
    .executeTakeFirst();
}

export async function removeOldAttempts(db: Database, now: Date): Promise<void> {
  await db.deleteFrom("sign_in_attempts").where("expires_at", "<", now).execute();
}
