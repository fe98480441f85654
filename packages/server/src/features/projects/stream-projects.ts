import type { ProjectSignals } from "../../engine/events/index.ts";
import type { Database } from "../../platform/database/index.ts";
import { type Call, type Principal, readsAllProjects, streamSse } from "../../platform/http/index.ts";
import { showProject } from "./show-project.ts";
import { selectListed } from "./store.ts";

interface Deps {
  readonly db: Database;
  readonly signals: ProjectSignals;
  /** Aborted when the service stops. */
  readonly stopping: AbortSignal;
}

const batchSize = 100;
/** A busy project signals many times a second, for each line it logs. */
const gatherMs = 200;
const maxRemembered = 10_000;

/** Streams the projects of a caller's list as they change. There is no history: after `ready`, the reader asks for the list. */
export function streamProjects(
  { db, signals, stopping }: Deps,
  call: Pick<Call, "reply" | "isStillAdmitted">,
  principal: Principal,
): Promise<void> {
  const readsAll = readsAllProjects(principal);
  const changed = new Set<string>();
  const versions = new Map<string, number>();
  let isReady = false;

  const readChanged = async () => {
    const ids = [...changed].slice(0, batchSize);
    for (const id of ids) changed.delete(id);
    const rows = ids.length === 0 ? [] : await selectListed(db, ids, principal);
    const found = new Set(rows.map(({ id }) => id));
    // Of a project that this reader never saw, it must not learn that it was there.
    const gone = ids.filter((id) => !found.has(id) && (readsAll || versions.has(id)));
    const fresh = rows.filter(({ id, version }) => versions.get(id) !== version);
    if (versions.size > maxRemembered) versions.clear();
    for (const { id, version } of fresh) versions.set(id, version);
    return [
      ...gone.map((id) => ({ event: "gone", data: { project_id: id } })),
      ...fresh.map((row) => ({ event: "project", data: showProject(row) })),
    ];
  };

  return streamSse<number>(call, {
    after: 0,
    pollMs: 60_000,
    stopping,
    subscribe: (onSignal, until) => {
      let timer: NodeJS.Timeout | undefined;
      until.addEventListener("abort", () => clearTimeout(timer), { once: true });
      signals.subscribeAll((id) => {
        if (id === undefined) isReady = false;
        else changed.add(id);
        timer ??= setTimeout(() => {
          timer = undefined;
          onSignal();
        }, gatherMs);
      }, until);
    },
    read: async (last) => {
      const told = isReady ? await readChanged() : [{ event: "ready", data: {} }];
      isReady = true;
      return { events: told.map((one, index) => ({ id: last + index + 1, ...one })), hasMore: changed.size > 0 };
    },
  });
}
