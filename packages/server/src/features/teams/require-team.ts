import type { Database, Transaction } from "../../platform/database/index.ts";
import { Refusal } from "../../platform/errors/index.ts";
import type { Principal } from "../../platform/http/index.ts";
import { findTeam, type TeamRow } from "./store.ts";

/** Returns a team that the caller is a member of, or any for administrators. */
export async function requireTeam(
  db: Database | Transaction,
  principal: Principal,
  nameOrId: string,
): Promise<TeamRow> {
  const team = await findTeam(db, principal, nameOrId);
  if (team === undefined) throw noSuchTeam(nameOrId);
  return team;
}

/** The team that something new belongs to: the one asked for, or that of the caller's key; null: none. */
export async function teamOfNew(
  db: Database | Transaction,
  principal: Principal,
  nameOrId: string | undefined,
): Promise<string | null> {
  if (nameOrId === undefined) return principal.onlyTeamId ?? null;
  return (await requireTeam(db, principal, nameOrId)).id;
}

export function noSuchTeam(nameOrId: string): Refusal {
  return new Refusal("not_found", `Not found: there is no team '${nameOrId.slice(0, 100)}', or you are not in it.`);
}
