import type { Role } from "@slipway/contract";
import type { Clock } from "../../platform/clock.ts";
import type { Database, Transaction } from "../../platform/database/index.ts";
import { Refusal } from "../../platform/errors/index.ts";
import { randomText } from "../../platform/ids.ts";
import { oneLine } from "../../platform/one-line.ts";
import type { Keyring } from "../../platform/secrets/index.ts";
import { type Actor, recordChange } from "../audit/index.ts";
import { admitPerson, type Person } from "./admit-person.ts";
import { insertAttempt, takeAttempt } from "./attempt-store.ts";
import { lockIdentity } from "./identity-store.ts";
import { mapRole } from "./map-role.ts";
import { type Grant, type Provider, ProviderRefusal } from "./provider/index.ts";
import { seal, unseal } from "./sealed-json.ts";
import type { OauthSettings } from "./settings.ts";

/** A provider that the operator declared, and how to speak with it. */
export interface OpenedProvider {
  readonly settings: OauthSettings;
  readonly provider: Provider;
}

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly keyring: Keyring;
  readonly publicUrl: string;
  /** Ends everything of a user whom their provider does not confirm any more. */
  readonly endAccess: (trx: Transaction, userId: string, why: string, request: Actor["request"]) => Promise<string[]>;
  /** Called with the webhooks that ended with somebody's access, after the commit. */
  readonly onWebhooksDisabled: (ids: readonly string[]) => void;
}

const attemptMs = 10 * 60_000;
const randomLength = 52; // 260 bits

/** Begins a sign-in of a browser, which its cookie identifies. */
export async function beginSignIn(
  { db, clock, keyring, publicUrl }: Deps,
  { settings, provider }: OpenedProvider,
  { browser, returnTo }: { readonly browser: string; readonly returnTo: string },
): Promise<{ readonly url: URL; readonly expiresAt: Date }> {
  const state = randomText(randomLength);
  const secrets = { nonce: randomText(randomLength), verifier: randomText(randomLength) };
  const url = await provider
    .begin({ ...secrets, state, redirectUri: redirectUri(publicUrl, settings) })
    .catch((error) => refuse(error));
  const expiresAt = new Date(clock.now().getTime() + attemptMs);
  await insertAttempt(db, {
    ...{ state, provider: settings.name, browser: keyring.hmac(browser), checks: seal(keyring, secrets) },
    ...{ return_to: returnTo, expires_at: expiresAt },
  });
  return { url, expiresAt };
}

/** Finishes a sign-in: says who came, or refuses. `inTransaction` makes their session together with the user. */
export async function finishSignIn<T>(
  deps: Deps,
  opened: OpenedProvider,
  { browser, parameters }: { readonly browser: string; readonly parameters: string },
  request: Actor["request"],
  inTransaction: (trx: Transaction, person: Person) => Promise<T>,
): Promise<{ readonly made: T; readonly returnTo: string } | undefined> {
  const { db, clock, keyring, publicUrl } = deps;
  const { settings, provider } = opened;
  const query = new URLSearchParams(parameters);
  const state = query.get("state") ?? "";
  const taken = { state, provider: settings.name, browser: keyring.hmac(browser) };
  const attempt = await takeAttempt(db, taken, clock.now());
  if (attempt === undefined) return undefined;
  const secrets = unseal<{ nonce: string; verifier: string }>(keyring, attempt.checks);
  const uri = redirectUri(publicUrl, settings);
  const checks = { ...secrets, state, redirectUri: uri };
  const grant = await provider.finish(new URL(`${uri}?${query}`), checks).catch((error) => refuse(error));
  const role = mapRole(settings.roleMapping, grant.roles);
  if (role === undefined) return refuseUnmapped(deps, settings, grant, request);
  const made = await db.transaction().execute(async (trx) => {
    const person = await admitPerson(trx, deps, settings, grant, role, request);
    return person && { value: await inTransaction(trx, person) };
  });
  if (made !== undefined) return { made: made.value, returnTo: attempt.return_to };
  await recordRefusal(deps, settings, grant, "removed", request);
  throw new Refusal("forbidden", "An administrator of this service has removed you. Ask one to let you in again.");
}

function redirectUri(publicUrl: string, { name }: OauthSettings): string {
  return `${publicUrl}/sign-in/${name}`;
}

function refuse(error: unknown): never {
  if (!(error instanceof ProviderRefusal)) throw error;
  throw new Refusal(error.isFinal ? "forbidden" : "provider_unavailable", error.message, { cause: error });
}

/** Somebody whom no role maps to: they get in nowhere, and what they had ends. */
async function refuseUnmapped(
  deps: Deps,
  settings: OauthSettings,
  grant: Grant,
  request: Actor["request"],
): Promise<never> {
  const webhooks = await deps.db.transaction().execute(async (trx) => {
    const known = await lockIdentity(trx, settings.name, grant.subject);
    if (known === undefined || known.removed_at !== null) return [];
    return deps.endAccess(trx, known.user_id, "no role maps to this service any more", request);
  });
  deps.onWebhooksDisabled(webhooks);
  await recordRefusal(deps, settings, grant, "no role", request);
  throw new Refusal("forbidden", describeUnmapped(settings, grant));
}

const maxNamed = 10;
const maxShownName = 500;

/** Why somebody does not get in, in words for them. */
function describeUnmapped({ label, kind }: OauthSettings, { userName, roles }: Grant): string {
  const what = { github: "organisations or teams", google: "groups", azure: "roles or groups", custom: "roles" }[kind];
  const more = roles.length > maxNamed ? ` and ${roles.length - maxNamed} more` : "";
  const found = roles.length === 0 ? `it told us no ${what} of yours` : roles.slice(0, maxNamed).join(", ") + more;
  return `${label} knows you as ${oneLine(userName, maxShownName)}, with ${found}. None of that has a role here. Ask an administrator of this service to add one of yours to role_mapping.`;
}

async function recordRefusal(
  { db, clock }: Deps,
  settings: OauthSettings,
  { subject, userName, roles }: Grant,
  why: "no role" | "removed",
  request: Actor["request"],
): Promise<void> {
  const name = oneLine(userName, maxShownName);
  const detail = { provider: settings.name, name, why, roles: roles.slice(0, 50) };
  const change = { action: "sign_in.refuse", target: `${settings.name}:${subject}`, detail };
  await db.transaction().execute((trx) => recordChange(trx, clock, { request }, change));
}

/** The role that a provider's word gives; undefined: none. */
export function roleOf({ settings }: OpenedProvider, grant: Grant): Role | undefined {
  return mapRole(settings.roleMapping, grant.roles);
}
