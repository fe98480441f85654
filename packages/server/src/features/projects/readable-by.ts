import type { Database, Transaction } from "../../platform/database/index.ts";
import { Refusal } from "../../platform/errors/index.ts";
import { type Call, type Principal, readsAllProjects } from "../../platform/http/index.ts";
import { changeableBy, listedFor } from "./readable-by-store.ts";
import { type ApplicationRow, findApplication, findOwnProject, findReadableProject, type ProjectRow } from "./store.ts";

/** Returns a project that the caller may read. */
export async function requireReadable(db: Database, id: string, principal: Principal): Promise<ProjectRow> {
  const row = await findReadableProject(db, id, principal);
  if (row === undefined) throw noSuchProject();
  return row;
}

/**
 * The call of a stream about a project, which ends when the caller may not read it any more: when its owner stops sharing it.
 * Owners and who reads everything need not be looked up.
 */
export function whileReadable<C extends StreamCall>(
  db: Database,
  call: C,
  { id, owner_id }: ProjectRow,
): Pick<StreamCall, "reply" | "isStillAdmitted"> {
  const { principal, reply, isStillAdmitted } = call;
  const isSure = readsAllProjects(principal) || (principal.onlyTeamId === undefined && owner_id === principal.userId);
  if (isSure) return call;
  const mayRead = async () => (await findReadableProject(db, id, principal)) !== undefined;
  return { reply, isStillAdmitted: async () => (await isStillAdmitted()) && (await mayRead()) };
}

type StreamCall = Pick<Call, "reply" | "isStillAdmitted"> & { readonly principal: Principal };

/** Returns a project that the caller may change: their own, their teams', or any for administrators. */
export async function requireOwn(db: Database, id: string, principal: Principal): Promise<ProjectRow> {
  const row = await findOwnProject(db, id, principal);
  if (row === undefined) throw noSuchProject();
  return row;
}

type AnyDatabase = Database | Transaction;

/** Returns an application that the caller may read: what it has deployed is read by whoever reads all its projects. */
export async function requireReadableApplication(
  db: AnyDatabase,
  id: string,
  principal: Principal,
): Promise<ApplicationRow> {
  return requireApplication(await findApplication(db, id, listedFor(principal, "applications")));
}

/** Returns an application that the caller may change: their own, their teams', or any for administrators. */
export async function requireOwnApplication(
  db: AnyDatabase,
  id: string,
  principal: Principal,
): Promise<ApplicationRow> {
  return requireApplication(await findApplication(db, id, changeableBy(principal, "applications")));
}

function requireApplication(row: ApplicationRow | undefined): ApplicationRow {
  if (row !== undefined) return row;
  throw new Refusal("not_found", "Not found: the application does not exist, or you may not see it.");
}

export function noSuchProject(): Refusal {
  return new Refusal("not_found", "Project not found, or you may not read it.");
}
