import type { EventName } from "@slipway/contract";
import type { CompleteSpec } from "@slipway/spec";
import { selectEventsInCommitOrder } from "../../engine/events/index.ts";
import { UnreadableDocument } from "../../engine/lifecycle/index.ts";
import type { Database } from "../../platform/database/index.ts";
import { decideNotices } from "./decide-notices.ts";
import type { NewNotice } from "./notice.ts";
import { findCursor, insertNotices, moveCursor, selectTasks, selectWithIntegrations } from "./store.ts";

interface Deps {
  readonly db: Database;
  readonly findDocument: (projectId: string) => Promise<CompleteSpec>;
  readonly projectUrl: (projectId: string) => string;
}

/** The events that a notice can follow from. */
const noticedEvents: ReadonlySet<EventName> = new Set([
  "project.started",
  "project.phase_completed",
  "project.deployed",
  "project.failed",
  "agent.task_completed",
]);

const batchSize = 200;

/**
 * Reads the event log on from the cursor, and writes the notices that follow. The cursor moves in the same transaction, and only
 * if it is still where it was read: of two nodes that read at once, one writes. Gives whether there may be more.
 */
export async function collectNotices({ db, findDocument, projectUrl }: Deps): Promise<boolean> {
  const cursor = await findCursor(db);
  const events = await selectEventsInCommitOrder(db, cursor, batchSize);
  const last = events.at(-1);
  if (last === undefined) return false;
  const noticed = events.filter(({ name }) => noticedEvents.has(name));
  const withIntegrations = await selectWithIntegrations(db, [...new Set(noticed.map((event) => event.project_id))]);
  const notices: (NewNotice & { readonly projectId: string })[] = [];
  for (const { project_id: projectId, name, data } of noticed) {
    if (!withIntegrations.has(projectId)) continue;
    const document = await findDocument(projectId).catch((error: unknown) => {
      // It was accepted once, and is unreadable or gone now: nobody can be notified.
      if (error instanceof UnreadableDocument) return undefined;
      throw error;
    });
    if (document === undefined) continue;
    const tasks = await selectTasks(db, projectId);
    const event = { name, data, projectId, document, tasks, projectUrl: projectUrl(projectId) };
    notices.push(...decideNotices(event).map((notice) => ({ ...notice, projectId })));
  }
  const to = { xid: last.xid, projectId: last.project_id, sequence: last.sequence };
  await db.transaction().execute(async (trx) => {
    if (await moveCursor(trx, cursor, to)) await insertNotices(trx, notices);
  });
  return events.length === batchSize;
}
