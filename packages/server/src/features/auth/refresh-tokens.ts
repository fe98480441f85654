import type { IssuedTokens } from "@slipway/contract";
import type { Clock } from "../../platform/clock.ts";
import type { Transaction } from "../../platform/database/index.ts";
import type { Keyring } from "../../platform/secrets/index.ts";
import { hasSecret, isGood } from "./authenticator.ts";
import { issueTokens } from "./issue-tokens.ts";
import { findToken, revokeFamily, revokeToken } from "./store.ts";
import { readToken } from "./token-format.ts";
import { lockUser } from "./user-store.ts";

interface Deps {
  readonly clock: Clock;
  readonly keyring: Keyring;
}

interface Owner {
  readonly userId: string;
  readonly userName: string;
}

/** What became of a refresh token: it was exchanged, was used before, or is of no use. */
type Refreshed =
  | { readonly kind: "issued"; readonly owner: Owner; readonly tokens: IssuedTokens }
  | { readonly kind: "reused"; readonly owner: Owner; readonly familyId: string }
  | { readonly kind: "invalid" };

/** Exchanges a refresh token, once. */
export async function refreshTokens(trx: Transaction, deps: Deps, text: string): Promise<Refreshed> {
  const token = readToken(text);
  if (token?.kind !== "refresh") return { kind: "invalid" };
  const found = await findToken(trx, token.id, "refresh");
  if (found === undefined || !hasSecret(deps.keyring, token.secret, found)) return { kind: "invalid" };
  // Before the token is read for good: whoever ends the user's tokens must see those that are made here.
  if ((await lockUser(trx, found.user_id)) === undefined) return { kind: "invalid" };
  const credential = await findToken(trx, token.id, "refresh");
  if (credential === undefined) return { kind: "invalid" };
  const now = deps.clock.now();
  const owner = { userId: credential.user_id, userName: credential.user_name };
  if (credential.revoked_at !== null) return { kind: "reused", owner, familyId: credential.family_id };
  if (!isGood(deps.keyring, token, credential, now.getTime())) return { kind: "invalid" };
  await revokeToken(trx, token.id, now);
  const tokens = await issueTokens(trx, deps, credential.user_id, {
    familyId: credential.family_id,
    source: { device: credential.device, address: credential.address },
  });
  return { kind: "issued", owner, tokens };
}

/** Ends every token that came of a refresh token which was used twice: it is in two hands. False if none was left. */
export async function endFamily(
  trx: Transaction,
  { clock }: Pick<Deps, "clock">,
  { owner, familyId }: { readonly owner: Owner; readonly familyId: string },
): Promise<boolean> {
  await lockUser(trx, owner.userId);
  return (await revokeFamily(trx, familyId, clock.now())) > 0;
}
