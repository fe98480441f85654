import type { CompleteSpec } from "@slipway/spec";
import { selectEventsInCommitOrder } from "../../engine/events/index.ts";
import { UnreadableDocument } from "../../engine/lifecycle/index.ts";
import type { Database } from "../../platform/database/index.ts";
import { inTurns } from "../../platform/in-turns.ts";
import { decideNotices, noticedEvents } from "./decide-notices.ts";
import type { NewNotice } from "./notice.ts";
import { findCursor, insertNotices, moveCursor, selectTasks, selectWithIntegrations } from "./store.ts";

interface Deps {
  readonly db: Database;
  readonly findDocument: (projectId: string) => Promise<CompleteSpec>;
  readonly projectUrl: (projectId: string) => string;
}

const batchSize = 200;
/** A plan's tickets are one event's: thousands of notices must not wait in memory for those of others. */
const maxNotices = 500;

/**
 * Reads the event log on from the cursor, and writes the notices that follow. The cursor moves in the same transaction, and only
 * if it is still where it was read: of two nodes that read at once, one writes. Gives whether there may be more.
 */
export async function collectNotices({ db, findDocument, projectUrl }: Deps): Promise<boolean> {
  const cursor = await findCursor(db);
  const events = await selectEventsInCommitOrder(db, cursor, batchSize);
  let last = events.at(-1);
  if (last === undefined) return false;
  const noticed = events.filter(({ name }) => noticedEvents.has(name));
  const withIntegrations = await selectWithIntegrations(db, [...new Set(noticed.map((event) => event.project_id))]);
  const notices: (NewNotice & { readonly projectId: string })[] = [];
  for (const logged of noticed) {
    const { project_id: projectId, name, data } = logged;
    if (!withIntegrations.has(projectId)) continue;
    const document = await findDocument(projectId).catch((error: unknown) => {
      // It was accepted once, and is unreadable or gone now: nobody can be notified.
      if (error instanceof UnreadableDocument) return undefined;
      throw error;
    });
    if (document === undefined) continue;
    const tasks = await selectTasks(db, projectId);
    const event = { name, data, projectId, document, tasks, projectUrl: projectUrl(projectId) };
    for await (const notice of inTurns(decideNotices(event))) notices.push({ ...notice, projectId });
    if (notices.length < maxNotices) continue;
    last = logged;
    break;
  }
  const to = { xid: last.xid, projectId: last.project_id, sequence: last.sequence };
  await db.transaction().execute(async (trx) => {
    if (await moveCursor(trx, cursor, to)) await insertNotices(trx, notices);
  });
  return last !== events.at(-1) || events.length === batchSize;
}
