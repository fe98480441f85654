import type { CreatedProject } from "@slipway/contract";
import { defaultEnvironment, type SpecDocument } from "@slipway/spec";
import type { Clock } from "../clock.ts";
import type { Transaction } from "../database/index.ts";
import { appendEvent } from "../events/index.ts";
import { newId } from "../new-id.ts";
import { insertProject } from "./store.ts";

interface Submission {
  readonly ownerId: string;
  readonly document: SpecDocument;
  readonly content: Uint8Array;
  readonly environment: string | undefined;
}

/** Makes a project of a document that was checked: its row, its bytes and its first event, or none of them. */
export async function createProject(
  trx: Transaction,
  clock: Clock,
  { ownerId, document, content, environment = defaultEnvironment(document) }: Submission,
): Promise<CreatedProject> {
  const now = clock.now();
  const id = newId("project", now.getTime());
  const specUrl = `/api/v1/projects/${id}/spec`;
  await insertProject(trx, {
    id,
    applicationId: newId("application", now.getTime()),
    ownerId,
    documentId: document.id,
    name: document.name,
    outcomeType: document.outcome_type,
    environment: environment ?? null,
    content,
    now,
  });
  const status = "specification";
  await appendEvent(trx, clock, id, "project.created", { name: document.name, status, spec_url: specUrl });
  return { project_id: id, status, created_at: now.toISOString(), spec_url: specUrl };
}
