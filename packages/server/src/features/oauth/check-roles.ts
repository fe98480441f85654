import type { Clock } from "../../platform/clock.ts";
import type { Database, Transaction } from "../../platform/database/index.ts";
import type { Keyring } from "../../platform/secrets/index.ts";
import type { Actor } from "../audit/index.ts";
import { admitPerson } from "./admit-person.ts";
import { claimDue, claimOf, exchangeTokens, type IdentityRow, takeUnused } from "./identity-store.ts";
import { ProviderRefusal, type ProviderTokens } from "./provider/index.ts";
import { seal, unseal } from "./sealed-json.ts";
import { type OpenedProvider, roleOf } from "./sign-in.ts";

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly keyring: Keyring;
  readonly providers: ReadonlyMap<string, OpenedProvider>;
  readonly endAccess: (trx: Transaction, userId: string, why: string, request: Actor["request"]) => Promise<string[]>;
  /** Called with the webhooks that ended with somebody's access, after the commit. */
  readonly onWebhooksDisabled: (ids: readonly string[]) => void;
  /** Called after somebody's rights have changed or ended. */
  readonly onRevoked: () => void;
}

/** With a chore a minute, removal at the provider ends access within eleven minutes. */
const checkEveryMs = 10 * 60_000;
/** A token that is exchanged is checked more strictly. */
const checkAtRefreshMs = 30_000;
const claimMs = 2 * 60_000;
const batchSize = 16;

/** The service itself acts, not a caller. */
const ourselves: Actor["request"] = { ip: "this service", id: "", principal: undefined };

/** Asks providers again what their people may do, until nobody is due. */
export async function checkRoles(deps: Deps): Promise<void> {
  if (deps.providers.size === 0) return;
  const away = new Set<string>();
  for (;;) {
    const due = await claimDue(deps.db, { ...dueNow(deps.clock, checkEveryMs), except: [...away] }, batchSize);
    const results = await Promise.all(
      due.map(async (identity) => ({ name: identity.provider, is: await checkOne(deps, identity) })),
    );
    // A provider that answers for nobody is left until the next chore: the people of others are not to wait for it.
    for (const name of new Set(due.map(({ provider }) => provider))) {
      if (results.every((result) => result.name !== name || result.is === "failed")) away.add(name);
    }
    if (due.length < batchSize) return;
  }
}

/** Asks a user's provider before new tokens are issued. */
export async function checkUser(deps: Deps, userId: string): Promise<void> {
  if (deps.providers.size === 0) return;
  const identity = await claimOf(deps.db, userId, dueNow(deps.clock, checkAtRefreshMs));
  if (identity !== undefined) await checkOne(deps, identity);
}

/** Ends the provider's tokens of a user who has nothing left here. */
export async function leaveProvider(deps: Deps, userId: string): Promise<void> {
  if (deps.providers.size === 0) return;
  const identity = await takeUnused(deps.db, userId, deps.clock.now());
  const opened = identity && deps.providers.get(identity.provider);
  if (!identity?.tokens || opened === undefined) return;
  await opened.provider.revoke(unseal<ProviderTokens>(deps.keyring, identity.tokens));
}

function dueNow(clock: Clock, everyMs: number) {
  const nowMs = clock.now().getTime();
  return { now: new Date(nowMs), before: new Date(nowMs - everyMs), claimUntil: new Date(nowMs + claimMs) };
}

async function checkOne(deps: Deps, identity: IdentityRow): Promise<"checked" | "failed"> {
  const { db, keyring, providers } = deps;
  const { provider: name, subject, user_id: userId, tokens } = identity;
  const opened = providers.get(name);
  const end = async (why: string) => {
    const webhooks = await db.transaction().execute((trx) => deps.endAccess(trx, userId, why, ourselves));
    deps.onRevoked();
    deps.onWebhooksDisabled(webhooks);
    return "checked" as const;
  };
  if (opened === undefined || tokens === null) return end("the provider is not declared any more");
  const known = openTokens(keyring, tokens);
  if (known === undefined) return end("the provider's tokens cannot be decrypted");
  try {
    const keep = (next: ProviderTokens) => exchangeTokens(db, { ...identity, tokens }, seal(keyring, next));
    const grant = await opened.provider.check(subject, known, keep);
    const role = roleOf(opened, grant);
    if (role === undefined) return await end("no role maps to this service any more");
    await db.transaction().execute((trx) => admitPerson(trx, deps, opened.settings, grant, role, ourselves));
    deps.onRevoked();
    return "checked";
  } catch (error) {
    if (error instanceof ProviderRefusal && error.isFinal) return end(error.message);
    // The claim stays for its two minutes: whom the provider never answers for is not always the first to be asked.
    return "failed";
  }
}

/** Undefined if the master key is gone, or somebody changed them. */
function openTokens(keyring: Keyring, tokens: Uint8Array): ProviderTokens | undefined {
  try {
    return unseal<ProviderTokens>(keyring, tokens);
  } catch {
    return undefined;
  }
}
