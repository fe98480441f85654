import type { Role } from "@slipway/contract";
import type { Clock } from "../../platform/clock.ts";
import type { Transaction } from "../../platform/database/index.ts";
import { Refusal } from "../../platform/errors/index.ts";
import type { Principal } from "../../platform/http/index.ts";
import { isTokenLive, revokeKeysOfUser, revokeTokensOfUser } from "./store.ts";
import {
  findUser,
  findUserByName,
  isFromProvider,
  lockAdmins,
  lockRemoved,
  lockUser,
  markRemoved,
  noSuchUser,
  type UserRow,
  unmarkRemoved,
  updateRole,
} from "./user-store.ts";

interface Deps {
  readonly clock: Clock;
  /** Disables the webhooks of a user who is removed; returns their ids. */
  readonly disableWebhooksOf: (trx: Transaction, userId: string, userName: string) => Promise<string[]>;
}

/** Changes a user's role; returns the user as they were. */
export async function changeRole(trx: Transaction, principal: Principal, id: string, role: Role): Promise<UserRow> {
  const user = await lockTarget(trx, principal, id, role === "svc:admin");
  if (await isFromProvider(trx, id))
    throw new Refusal(
      "conflict",
      `The role of ${user.name} comes from their sign-in provider: change role_mapping, or their groups there.`,
    );
  await updateRole(trx, id, role);
  return user;
}

/** Removes a user: they can do nothing from now on, and what they own stays. */
export async function removeUser(
  trx: Transaction,
  { clock, disableWebhooksOf }: Deps,
  principal: Principal,
  id: string,
): Promise<{ user: UserRow; webhooks: string[] }> {
  const user = await lockTarget(trx, principal, id, false);
  await markRemoved(trx, id, clock.now());
  await revokeAccess(trx, id, clock.now());
  return { user, webhooks: await disableWebhooksOf(trx, id, user.name) };
}

/** Lets a removed user in again, with what they own. */
export async function restoreUser(
  trx: Transaction,
  { clock }: Pick<Deps, "clock">,
  principal: Principal,
  id: string,
): Promise<UserRow> {
  await requireLive(trx, principal);
  const user = await lockRemoved(trx, id);
  if (user === undefined) throw new Refusal("not_found", "Not found: no user with this id was removed.");
  // Its team went with it: it would reach more than before.
  if (user.kind === "service") throw new Refusal("conflict", `${user.name} was a service account. Create a new one.`);
  if ((await findUserByName(trx, user.name)) !== undefined)
    throw new Refusal("conflict", `Somebody else is called '${user.name}' now. Remove them first.`);
  await unmarkRemoved(trx, id, clock.now());
  return user;
}

/** Ends all tokens and keys of a user. */
export async function endAccess(trx: Transaction, { clock }: Deps, id: string): Promise<void> {
  if ((await lockUser(trx, id)) === undefined) throw noSuchUser();
  await revokeAccess(trx, id, clock.now());
}

/**
 * Refuses a caller whose token has ended or whose role has changed since this node looked. What a token makes would outlive
 * it: a new key, a new user.
 */
export async function requireLive(trx: Transaction, { userId, tokenId, role }: Principal): Promise<void> {
  const user = await findUser(trx, userId);
  const isLive = user?.role === role && tokenId !== undefined && (await isTokenLive(trx, tokenId));
  if (isLive) return;
  throw new Refusal("unauthenticated", "The token was revoked, or its user's role has changed.", {
    headers: { "www-authenticate": 'Bearer realm="slipway", error="invalid_token"' },
  });
}

/** Locks the user to change, and all administrators: one must remain, and the caller must still be one. */
async function lockTarget(trx: Transaction, principal: Principal, id: string, staysAdmin: boolean): Promise<UserRow> {
  const admins = await lockAdmins(trx);
  await requireLive(trx, principal);
  const user = await lockUser(trx, id);
  if (user === undefined) throw noSuchUser();
  if (!staysAdmin && admins.every((admin) => admin.id === id))
    throw new Refusal("conflict", `${user.name} is the last administrator. Make another user svc:admin first.`);
  return user;
}

/** Ends all tokens and keys of a user who is locked. */
export async function revokeAccess(trx: Transaction, userId: string, now: Date): Promise<void> {
  await revokeTokensOfUser(trx, userId, now);
  await revokeKeysOfUser(trx, userId, now);
}
