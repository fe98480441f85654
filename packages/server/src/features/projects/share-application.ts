import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/index.ts";
import { Refusal } from "../../platform/errors/index.ts";
import type { Handlers, Principal, Transact } from "../../platform/http/index.ts";
import { recordChange } from "../audit/index.ts";
import { requireTeam, teamOfNew } from "../teams/index.ts";
import { requireOwnApplication } from "./readable-by.ts";
import { showApplication } from "./show-project.ts";
import { lockApplication } from "./store.ts";
import { findTarget, updateTeam } from "./team-store.ts";

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly transact: Transact;
}

/** Shares an application and its runs with a team, or with nobody. */
export async function shareApplication(
  { clock, transact }: Deps,
  call: Parameters<Handlers["shareApplication"]>[0],
): Promise<Awaited<ReturnType<Handlers["shareApplication"]>>> {
  const { params, principal, body } = call;
  return transact(call, async (trx) => {
    // Runs that are submitted meanwhile wait, and are shared with the same team.
    await lockApplication(trx, params.application_id);
    const application = await requireOwnApplication(trx, params.application_id, principal);
    requireOwner(application.owner_id, principal);
    const teamId = body.team === null ? null : (await requireTeam(trx, principal, body.team)).id;
    if (!(await updateTeam(trx, application, teamId)))
      throw new Refusal("conflict", `The team has an application '${application.document_id}' already.`);
    const detail = { team_id: teamId, old_team_id: application.team_id };
    await recordChange(trx, clock, call, { action: "application.share", target: application.id, detail });
    return { status: 200, body: showApplication({ ...application, team_id: teamId }) };
  });
}

/** The team and the application's owner that a new run belongs to. */
export async function placeOfNew(
  db: Database,
  principal: Principal,
  { team, documentId }: { readonly team: string | undefined; readonly documentId: string },
): Promise<{ readonly teamId: string | null; readonly ownerId: string }> {
  const teamId = await teamOfNew(db, principal, team);
  if (teamId === null) return { teamId, ownerId: principal.userId };
  const { ownerId, isTaken } = await findTarget(db, { teamId, documentId, ownerId: principal.userId });
  if (isTaken)
    throw new Refusal(
      "conflict",
      `You have an application '${documentId}' that is not the team's. Share it with the team first.`,
    );
  return { teamId, ownerId };
}

/** Members of a team work on what it shares, but only who shared something takes it back. */
function requireOwner(ownerId: string, { userId, role }: Principal): void {
  if (ownerId === userId || role === "svc:admin") return;
  throw new Refusal("forbidden", "Only its owner and administrators share an application.");
}
