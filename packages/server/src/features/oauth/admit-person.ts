import { createHash } from "node:crypto";
import type { Role } from "@slipway/contract";
import type { Clock } from "../../platform/clock.ts";
import type { Transaction } from "../../platform/database/index.ts";
import { newId } from "../../platform/ids.ts";
import type { Keyring } from "../../platform/secrets/index.ts";
import { type Actor, recordChange } from "../audit/index.ts";
import { insertUser, updateRole } from "../auth/index.ts";
import { mapTeams } from "../teams/index.ts";
import { lockIdentity, saveIdentity } from "./identity-store.ts";
import type { Grant } from "./provider/index.ts";
import { seal } from "./sealed-json.ts";
import type { OauthSettings } from "./settings.ts";

interface Deps {
  readonly clock: Clock;
  readonly keyring: Keyring;
}

/** Somebody whom a provider has confirmed. */
export interface Person {
  readonly userId: string;
  readonly userName: string;
  readonly role: Role;
}

/** How long a provider's word counts while the provider cannot be asked again. */
const confirmedMs = 60 * 60_000;

/**
 * Finds or creates the user for what a provider said; undefined if an administrator has removed them. Users are known by the
 * provider's subject alone: a name or an address that somebody else has here makes nobody that person.
 */
export async function admitPerson(
  trx: Transaction,
  deps: Deps,
  { name: provider, teamMapping }: Pick<OauthSettings, "name" | "teamMapping">,
  grant: Grant,
  role: Role,
  request: Actor["request"],
): Promise<Person | undefined> {
  const now = deps.clock.now();
  const known = await lockIdentity(trx, provider, grant.subject);
  if (known !== undefined && known.removed_at !== null) return undefined;
  const person =
    known === undefined
      ? await createPerson(trx, deps, provider, grant, role, request)
      : { userId: known.user_id, userName: known.user_name, role };
  if (known !== undefined && known.role !== role) {
    await updateRole(trx, person.userId, role);
    const detail = { role, old_role: known.role, provider };
    const change = { action: "user.change", target: person.userId, detail };
    await recordChange(trx, deps.clock, { request, principal: person }, change);
  }
  const names = grant.roles.flatMap((name) => teamMapping.get(name) ?? []);
  await mapTeams(trx, deps.clock, { userId: person.userId, provider, names }, { request, principal: person });
  const identity = { provider, subject: grant.subject, user_id: person.userId, roles: [...grant.roles] };
  const tokens = seal(deps.keyring, grant.tokens);
  await saveIdentity(trx, { ...identity, tokens, checked_at: now }, new Date(now.getTime() + confirmedMs));
  return person;
}

async function createPerson(
  trx: Transaction,
  { clock }: Deps,
  provider: string,
  grant: Grant,
  role: Role,
  request: Actor["request"],
): Promise<Person> {
  const now = clock.now();
  for (const name of namesFor(provider, grant)) {
    const user = { id: newId("user", now.getTime()), name, role, created_at: now };
    if (!(await insertUser(trx, user))) continue;
    const person = { userId: user.id, userName: name, role };
    const detail = { name, role, provider };
    await recordChange(trx, clock, { request, principal: person }, { action: "user.create", target: user.id, detail });
    return person;
  }
  throw new Error("No name is free for a new user.");
}

/** The names to try: the provider's; where somebody has it already, with the provider's name and with the subject. */
function namesFor(provider: string, { userName, subject }: Grant): readonly string[] {
  // Signs that nobody sees, and what stands for those that cannot be stored, make two names look alike; names with this beginning are those of CI's accounts.
  const isName = (name: string) => name.length <= 100 && /^(?!ci:)[^\s\p{Cc}\p{Cf}\ufffd]+$/iu.test(name);
  const ofSubject = `${provider}:${subject}`;
  // A subject may hold signs that no name may: its digest is a name always, and so no other subject's.
  const ofDigest = `${provider}:${createHash("sha256").update(subject).digest("hex").slice(0, 16)}`;
  const ofTime = `${ofSubject}:${Date.now()}`.slice(-100);
  return [userName, `${userName}@${provider}`, ofSubject, ofTime, ofDigest].filter(isName);
}
