import { createHash } from "node:crypto";
import type { Clock } from "../../platform/clock.ts";
import type { Database, Transaction } from "../../platform/database/index.ts";
import { Refusal } from "../../platform/errors/index.ts";
import { newId } from "../../platform/ids.ts";
import type { Keyring } from "../../platform/secrets/index.ts";
import { type Actor, recordChange } from "../audit/index.ts";
import { insertKey, insertUser, lockUserByName, type NewApiKey, updateAccount } from "../auth/index.ts";
import type { TokenVerifier } from "../oauth/index.ts";
import { ensureTeam } from "../teams/index.ts";
import { matchRule } from "./match-rule.ts";
import type { FederationRule } from "./settings.ts";
import { lockRule, useToken } from "./store.ts";

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly keyring: Keyring;
  readonly rules: readonly FederationRule[];
  readonly verifier: Pick<TokenVerifier, "verify">;
}

type Claims = NonNullable<Awaited<ReturnType<TokenVerifier["verify"]>>>;

/** A token that was verified, and the rule that says what it is worth. */
export interface Admitted {
  readonly rule: FederationRule;
  readonly claims: Claims;
}

/** Verifies an ID token of a CI job and finds its rule; undefined: it is not valid. */
export async function admitToken(
  { db, clock, rules, verifier }: Deps,
  token: string,
  request: Actor["request"],
): Promise<Admitted | undefined> {
  const claims = await verifier.verify(token);
  if (claims === undefined) return undefined;
  const rule = matchRule(rules, claims);
  if (rule !== undefined) return { rule, claims };
  const detail = { issuer: claims.iss, subject: claims.sub, audience: claims.aud };
  const change = { action: "federation.refuse", target: claims.iss, detail };
  await db.transaction().execute((trx) => recordChange(trx, clock, { request }, change));
  throw new Refusal(
    "forbidden",
    "The token is valid, but no rule of this service admits it: its audience and claims match none. Ask an administrator to look at federation in the config file.",
  );
}

/** Makes the key; undefined if the token was used before. */
export async function makeKey(
  trx: Transaction,
  deps: Pick<Deps, "clock" | "keyring">,
  { rule, claims }: Admitted,
  request: Actor["request"],
): Promise<NewApiKey | undefined> {
  const { clock } = deps;
  if (!(await useToken(trx, digestOf(claims), new Date(claims.exp * 1000)))) return undefined;
  const account = await ensureAccount(trx, deps, rule, request);
  const now = clock.now();
  const key = await insertKey(trx, deps, {
    ...{ userId: account.userId, teamId: null, scopes: [...rule.scopes] },
    name: `${claims.sub}`.replace(/\p{Cc}/gu, " ").slice(0, 100),
    expiresAt: new Date(now.getTime() + rule.lifetimeMinutes * 60_000),
  });
  const seen = Object.fromEntries([...rule.claims.keys()].map((name) => [name, claims[name]]));
  const detail = { rule: rule.name, issuer: claims.iss, subject: claims.sub, claims: seen, expires_at: key.expires_at };
  await recordChange(
    trx,
    clock,
    { request, principal: account },
    {
      ...{ action: "api_key.federate", target: key.api_key_id, detail },
    },
  );
  return key;
}

/** The same token has the same digest, also if somebody writes its parts otherwise. */
function digestOf({ iss, jti, ...rest }: Claims): Buffer {
  const identity = jti === undefined ? JSON.stringify(rest) : jti;
  return createHash("sha256")
    .update(JSON.stringify([iss, identity]))
    .digest();
}

/** The service account of a rule, which owns what its jobs make. */
async function ensureAccount(
  trx: Transaction,
  { clock }: Pick<Deps, "clock">,
  { name: ruleName, role, team }: FederationRule,
  request: Actor["request"],
): Promise<{ readonly userId: string; readonly userName: string }> {
  const name = `ci:${ruleName}`;
  const now = clock.now();
  await lockRule(trx, ruleName);
  const teamId = team === undefined ? null : await ensureTeam(trx, team, now);
  const known = await lockUserByName(trx, name);
  if (known !== undefined) {
    if (known.kind !== "service") throw new Refusal("conflict", `A user is called '${name}': rename the rule.`);
    if (known.role !== role || known.team_id !== teamId) await updateAccount(trx, known.id, { role, team_id: teamId });
    return { userId: known.id, userName: name };
  }
  const account = {
    id: newId("user", now.getTime()),
    name,
    role,
    created_at: now,
    kind: "service",
    team_id: teamId,
  } as const;
  if (!(await insertUser(trx, account))) throw new Error("The account of a rule was made by somebody else meanwhile.");
  const principal = { userId: account.id, userName: name };
  const detail = { name, role, team_id: teamId };
  await recordChange(
    trx,
    clock,
    { request, principal },
    {
      ...{ action: "service_account.create", target: account.id, detail },
    },
  );
  return principal;
}
