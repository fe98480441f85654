import type { EventName } from "@slipway/contract";
import type { CompleteSpec } from "@slipway/spec";
import { selectEventsInCommitOrder } from "../../engine/events/index.ts";
import { UnreadableDocument } from "../../engine/lifecycle/index.ts";
import type { Database } from "../../platform/database/index.ts";
import { decideNotices } from "./decide-notices.ts";
import type { NewNotice } from "./notice.ts";
import { findPlace, insertNotices, movePlace, selectTasks, selectWithIntegrations } from "./store.ts";

interface Deps {
  readonly db: Database;
  readonly findDocument: (projectId: string) => Promise<CompleteSpec>;
  readonly projectUrl: (projectId: string) => string;
}

/** Nothing is told of any other. */
const toldEvents: ReadonlySet<EventName> = new Set([
  "project.started",
  "project.phase_completed",
  "project.deployed",
  "project.failed",
  "agent.task_completed",
]);

const batchSize = 200;

/**
 * Reads the event log on from where it was left, and writes down what is to be told. The place moves with what was written,
 * and only from where it was read: two that read at once write it once. Says whether there may be more.
 */
export async function collectNotices({ db, findDocument, projectUrl }: Deps): Promise<boolean> {
  const place = await findPlace(db);
  const events = await selectEventsInCommitOrder(db, place, batchSize);
  const last = events.at(-1);
  if (last === undefined) return false;
  const told = events.filter(({ name }) => toldEvents.has(name));
  const withIntegrations = await selectWithIntegrations(db, [...new Set(told.map((event) => event.project_id))]);
  const notices: (NewNotice & { readonly projectId: string })[] = [];
  for (const { project_id: projectId, name, data } of told) {
    if (!withIntegrations.has(projectId)) continue;
    const document = await findDocument(projectId).catch((error: unknown) => {
      // It was accepted once, and cannot be read any more, or is gone: there is nobody to be told.
      if (error instanceof UnreadableDocument) return undefined;
      throw error;
    });
    if (document === undefined) continue;
    const tasks = await selectTasks(db, projectId);
    const happening = { name, data, projectId, document, tasks, projectUrl: projectUrl(projectId) };
    notices.push(...decideNotices(happening).map((notice) => ({ ...notice, projectId })));
  }
  const to = { xid: last.xid, projectId: last.project_id, sequence: last.sequence };
  await db.transaction().execute(async (trx) => {
    if (await movePlace(trx, place, to)) await insertNotices(trx, notices);
  });
  return events.length === batchSize;
}
