import type { Clock } from "../../platform/clock.ts";
import type { Transaction } from "../../platform/database/index.ts";
import type { Keyring } from "../../platform/secrets/index.ts";
import { makeToken } from "./issue-tokens.ts";
import { sourceOf } from "./source-of.ts";
import type { Source } from "./store.ts";
import { lockUser } from "./user-store.ts";

interface Deps {
  readonly clock: Clock;
  readonly keyring: Keyring;
}

/** How long a browser stays signed in. */
export const sessionMs = 7 * 24 * 3600_000;

/** Creates a session for a browser that signed in otherwise. */
export async function makeSession(
  trx: Transaction,
  deps: Deps,
  userId: string,
  request: Parameters<typeof sourceOf>[0],
): Promise<string> {
  await lockUser(trx, userId);
  return newSession(trx, deps, userId, sourceOf(request));
}

/** The same, for a user who is locked already. */
export function newSession(trx: Transaction, deps: Deps, userId: string, source: Source): Promise<string> {
  const expiresAt = new Date(deps.clock.now().getTime() + sessionMs);
  return makeToken(trx, deps, { userId, source }, "session", expiresAt);
}
