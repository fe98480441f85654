import type { Clock } from "../../platform/clock.ts";
import type { Transaction } from "../../platform/database/index.ts";
import { newId } from "../../platform/ids.ts";
import { type Actor, recordChange } from "../audit/index.ts";
import { deleteMember, ensureTeams, insertMember, selectTeamsByProvider } from "./store.ts";

/** Puts a user into the teams that a provider's groups map to, and takes them out of those that they do no more. */
export async function mapTeams(
  trx: Transaction,
  clock: Clock,
  {
    userId,
    provider,
    names,
  }: { readonly userId: string; readonly provider: string; readonly names: readonly string[] },
  actor: Actor,
): Promise<void> {
  const now = clock.now();
  const wanted = await ensureTeams(
    trx,
    [...new Set(names)].map((name) => ({ id: newId("team", now.getTime()), name })),
    now,
  );
  const before = await selectTeamsByProvider(trx, userId, provider);
  const record = (action: string, { id, name }: { id: string; name: string }) => {
    const detail = { team: name, user_id: userId, provider };
    return recordChange(trx, clock, actor, { action, target: id, detail });
  };
  for (const team of wanted) {
    const member = { team_id: team.id, user_id: userId, provider, added_at: now };
    if (await insertMember(trx, member)) await record("team.add_member", team);
  }
  for (const team of before.filter(({ id }) => wanted.every((one) => one.id !== id))) {
    await deleteMember(trx, team.id, userId, now);
    await record("team.remove_member", team);
  }
}
