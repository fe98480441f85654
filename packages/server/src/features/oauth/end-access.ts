import type { Clock } from "../../platform/clock.ts";
import type { Transaction } from "../../platform/database/index.ts";
import { type Actor, recordChange } from "../audit/index.ts";
import { findUser, revokeAccess } from "../auth/index.ts";
import { leaveMappedTeams } from "../teams/index.ts";
import { closeIdentity } from "./identity-store.ts";

interface Deps {
  readonly clock: Clock;
  /** Disables the webhooks of a user; returns their ids. */
  readonly disableWebhooksOf: (trx: Transaction, userId: string, userName: string) => Promise<string[]>;
}

/** Ends everything of a user whom their provider does not confirm any more; returns the webhooks it disabled. They may sign in again once it does. */
export async function endAccessOf(
  trx: Transaction,
  { clock, disableWebhooksOf }: Deps,
  userId: string,
  why: string,
  request: Actor["request"],
): Promise<string[]> {
  const now = clock.now();
  const user = await findUser(trx, userId);
  await closeIdentity(trx, userId, now);
  if (user === undefined) return [];
  await revokeAccess(trx, userId, now);
  await leaveMappedTeams(trx, userId);
  const webhooks = await disableWebhooksOf(trx, userId, user.name);
  const actor = { request, principal: { userId, userName: user.name } };
  await recordChange(trx, clock, actor, { action: "user.end_access", target: userId, detail: { why, webhooks } });
  return webhooks;
}
