import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/index.ts";
import { Refusal } from "../../platform/errors/index.ts";
import { type Handlers, pageOf, pageRequest, type Transact } from "../../platform/http/index.ts";
import { newId } from "../../platform/ids.ts";
import { recordChange } from "../audit/index.ts";
import { lockPerson, requireLive } from "../auth/index.ts";
import { noSuchTeam, requireTeam } from "./require-team.ts";
import {
  countBelongings,
  deleteMember,
  deleteTeam,
  insertMember,
  insertTeam,
  lockTeam,
  selectMembers,
  selectTeams,
  type TeamRow,
} from "./store.ts";

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly transact: Transact;
  /** Called after somebody's rights have changed. */
  readonly onRevoked: () => void;
}

type TeamHandlers = Pick<
  Handlers,
  "createTeam" | "listTeams" | "readTeam" | "deleteTeam" | "addTeamMember" | "removeTeamMember"
>;

const maxShownMembers = 1_000;

/** Creates, lists and deletes teams, and says who is in them. */
export function teamRoutes(deps: Deps): TeamHandlers {
  const { db, clock, transact } = deps;
  return {
    createTeam: (call) =>
      transact(call, async (trx) => {
        await requireLive(trx, call.principal);
        const now = clock.now();
        const team = { id: newId("team", now.getTime()), name: call.body.name, created_at: now };
        if (!(await insertTeam(trx, team))) throw new Refusal("conflict", `The team '${team.name}' already exists.`);
        const detail = { name: team.name };
        await recordChange(trx, clock, call, { action: "team.create", target: team.id, detail });
        return { status: 201, body: showTeam({ ...team, members: 0 }) };
      }),

    listTeams: async ({ query, principal }) => {
      const page = pageRequest(query, /^team_/);
      const { items, nextCursor } = pageOf(await selectTeams(db, principal, page), page, ({ id }) => id);
      return { status: 200, body: { teams: items.map(showTeam), next_cursor: nextCursor } };
    },

    readTeam: async ({ params, principal }) => {
      const team = await requireTeam(db, principal, params.team_id);
      const members = await selectMembers(db, team.id, maxShownMembers);
      const list = members.map(({ added_at, ...rest }) => ({ ...rest, added_at: added_at.toISOString() }));
      return { status: 200, body: { ...showTeam(team), member_list: list } };
    },

    deleteTeam: async (call) => {
      const answer = await transact(call, async (trx) => {
        await requireLive(trx, call.principal);
        const team = await lockTeam(trx, call.params.team_id, true);
        if (team === undefined) throw noSuchTeam(call.params.team_id);
        const { webhooks, service_accounts } = await countBelongings(trx, team.id);
        if (webhooks + service_accounts > 0)
          throw new Refusal(
            "conflict",
            `The team '${team.name}' still has webhooks (${webhooks}) or service accounts (${service_accounts}). Remove them first.`,
          );
        await deleteTeam(trx, team.id);
        const detail = { name: team.name };
        await recordChange(trx, clock, call, { action: "team.delete", target: team.id, detail });
        return { status: 204 };
      });
      deps.onRevoked();
      return answer;
    },

    addTeamMember: (call) => changeMember(deps, call, "team.add_member"),
    removeTeamMember: (call) => changeMember(deps, call, "team.remove_member"),
  };
}

type MemberCall = Pick<Parameters<Handlers["addTeamMember"]>[0], "params" | "principal" | "request">;

async function changeMember(
  { clock, transact, onRevoked }: Deps,
  call: MemberCall,
  action: "team.add_member" | "team.remove_member",
): Promise<{ status: 204 }> {
  const { team_id, user_id } = call.params;
  await transact(call, async (trx) => {
    await requireLive(trx, call.principal);
    // Whoever makes a key of the user's for the team waits for this, and sees it.
    const user = await lockPerson(trx, user_id);
    const team = await lockTeam(trx, team_id, false);
    if (team === undefined) throw noSuchTeam(team_id);
    const now = clock.now();
    const hasChanged =
      action === "team.add_member"
        ? await insertMember(trx, { team_id, user_id, provider: null, added_at: now })
        : await deleteMember(trx, team_id, user_id, now);
    if (!hasChanged && action === "team.remove_member")
      throw new Refusal("not_found", `Not found: ${user.name} is not in the team '${team.name}'.`);
    const detail = { team: team.name, user_id, name: user.name };
    await recordChange(trx, clock, call, { action, target: team_id, detail });
    return { status: 204 };
  });
  onRevoked();
  return { status: 204 };
}

function showTeam({ id, name, members, created_at }: TeamRow) {
  return { team_id: id, name, members, created_at: created_at.toISOString() };
}
