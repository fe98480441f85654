import type { SignInCode } from "@slipway/contract";
import type { Clock } from "../../platform/clock.ts";
import type { Transaction } from "../../platform/database/index.ts";
import type { Keyring } from "../../platform/secrets/index.ts";
import { hasSecret } from "./authenticator.ts";
import { makeToken } from "./issue-tokens.ts";
import { newSession } from "./sessions.ts";
import { findToken, removeOldCodes, type Source, spendCode } from "./store.ts";
import { readToken } from "./token-format.ts";
import { lockUser } from "./user-store.ts";

interface Deps {
  readonly clock: Clock;
  readonly keyring: Keyring;
}

const codeMs = 10 * 60_000;
const maxCodes = 20;

/** Creates a code by which a browser signs in as a user, once and soon. The oldest of too many codes end. */
export async function createSignInCode(trx: Transaction, deps: Deps, userId: string): Promise<SignInCode> {
  const expiresAt = new Date(deps.clock.now().getTime() + codeMs);
  const code = await makeToken(trx, deps, { userId }, "code", expiresAt);
  await removeOldCodes(trx, userId, maxCodes);
  // Behind the '#', where no server and no log sees it.
  return { code, url: `/#sign-in=${code}`, expires_at: expiresAt.toISOString() };
}

/** Exchanges a code for a session's token; undefined if the code is wrong, was used or has expired. */
export async function exchangeCode(
  trx: Transaction,
  deps: Deps,
  text: string,
  source: Source,
): Promise<{ readonly token: string; readonly userId: string; readonly userName: string } | undefined> {
  const code = readToken(text);
  if (code?.kind !== "code") return undefined;
  const found = await findToken(trx, code.id, "code");
  if (found === undefined || !hasSecret(deps.keyring, code.secret, found)) return undefined;
  // Whoever ends the user's tokens must see the one that is made here.
  if ((await lockUser(trx, found.user_id)) === undefined) return undefined;
  const now = deps.clock.now();
  if (!(await spendCode(trx, code.id, now))) return undefined;
  const token = await newSession(trx, deps, found.user_id, source);
  return { token, userId: found.user_id, userName: found.user_name };
}
