import type { CreatedProject } from "@slipway/contract";
import { newEvent } from "../../engine/events/index.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database, Transaction } from "../../platform/database/index.ts";
import { newId } from "../../platform/ids.ts";
import { type Actor, auditEntry } from "../audit/index.ts";
import type { DocumentOutline } from "./parse-document.ts";
import { insertProject } from "./store.ts";

interface Submission {
  readonly actor: Actor;
  readonly ownerId: string;
  /** The team to share it with, if its application is not shared already. */
  readonly teamId?: string | null;
  readonly document: DocumentOutline;
  readonly content: Uint8Array;
  /** A person approves the plan before anything is built. */
  readonly reviewPlan: boolean;
}

/** Creates a project from a valid document, with its first event and audit entry: all of it or nothing. */
export async function createProject(
  db: Database | Transaction,
  clock: Clock,
  { actor, ownerId, teamId = null, document, content, reviewPlan }: Submission,
): Promise<CreatedProject> {
  const now = clock.now();
  const id = newId("project", now.getTime());
  const specUrl = `/api/v1/projects/${id}/spec`;
  const status = "specification";
  await insertProject(db, {
    id,
    applicationId: newId("application", now.getTime()),
    ownerId,
    teamId,
    documentId: document.id,
    name: document.name,
    outcomeType: document.outcome_type,
    environment: document.environment ?? null,
    content,
    reviewPlan,
    now,
    event: newEvent(now, id, "project.created", { name: document.name, status, spec_url: specUrl }),
    audit: auditEntry(now, actor, { action: "project.create", target: id }),
  });
  return { project_id: id, status, created_at: now.toISOString(), spec_url: specUrl };
}
