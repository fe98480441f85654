import type { Database } from "../../platform/database/index.ts";
import { Refusal } from "../../platform/errors/index.ts";
import { type Principal, readsAllProjects } from "../../platform/http/index.ts";
import { findProject, isApprover, type ProjectRow } from "./store.ts";

/** Whose projects are looked for: nobody's in particular, or one's own. */
export function onlyOwner(principal: Principal): string | undefined {
  return readsAllProjects(principal) ? undefined : principal.userId;
}

/** A project that the caller may read: their own, any for who reads all, and what they are to approve. */
export async function requireReadable(db: Database, id: string, principal: Principal): Promise<ProjectRow> {
  const row = await findProject(db, id, onlyOwner(principal));
  if (row !== undefined) return row;
  const asked = (await isApprover(db, id, principal.userName)) ? await findProject(db, id, undefined) : undefined;
  if (asked === undefined) throw noSuchProject();
  return asked;
}

/** A project that the caller may change: their own, or any for administrators. */
export async function requireOwn(db: Database, id: string, principal: Principal): Promise<ProjectRow> {
  const row = await findProject(db, id, principal.role === "svc:admin" ? undefined : principal.userId);
  if (row === undefined) throw noSuchProject();
  return row;
}

export function noSuchProject(): Refusal {
  return new Refusal("not_found", "There is no such project, or it is not yours to see.");
}
