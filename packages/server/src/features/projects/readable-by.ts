import type { Database, Transaction } from "../../platform/database/index.ts";
import { Refusal } from "../../platform/errors/index.ts";
import { type Principal, readsAllProjects } from "../../platform/http/index.ts";
import { type ApplicationRow, findApplication, findProject, findReadableProject, type ProjectRow } from "./store.ts";

/** The user whose projects a list shows; undefined: everybody's. */
export function onlyOwner(principal: Principal): string | undefined {
  return readsAllProjects(principal) ? undefined : principal.userId;
}

/** Returns a project that the caller may read. */
export async function requireReadable(db: Database, id: string, principal: Principal): Promise<ProjectRow> {
  const row = await findReadableProject(db, id, principal);
  if (row === undefined) throw noSuchProject();
  return row;
}

/** Returns a project that the caller may change: their own, or any for administrators. */
export async function requireOwn(db: Database, id: string, principal: Principal): Promise<ProjectRow> {
  const row = await findProject(db, id, onlyChanger(principal));
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
  return requireApplication(await findApplication(db, id, onlyOwner(principal)));
}

/** Returns an application that the caller may change: their own, or any for administrators. */
export async function requireOwnApplication(
  db: AnyDatabase,
  id: string,
  principal: Principal,
): Promise<ApplicationRow> {
  return requireApplication(await findApplication(db, id, onlyChanger(principal)));
}

/** The user whose things a command may change; undefined: everybody's. */
function onlyChanger({ role, userId }: Principal): string | undefined {
  return role === "svc:admin" ? undefined : userId;
}

function requireApplication(row: ApplicationRow | undefined): ApplicationRow {
  if (row !== undefined) return row;
  throw new Refusal("not_found", "Not found: the application does not exist, or you may not see it.");
}

export function noSuchProject(): Refusal {
  return new Refusal("not_found", "Project not found, or you may not read it.");
}
