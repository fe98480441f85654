import type { Database } from "../../platform/database/index.ts";
import { Refusal } from "../../platform/errors/index.ts";
import { type Principal, readsAllProjects } from "../../platform/http/index.ts";
import { findProject, findReadableProject, type ProjectRow } from "./store.ts";

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
  const row = await findProject(db, id, principal.role === "svc:admin" ? undefined : principal.userId);
  if (row === undefined) throw noSuchProject();
  return row;
}

export function noSuchProject(): Refusal {
  return new Refusal("not_found", "Project not found, or you may not read it.");
}
