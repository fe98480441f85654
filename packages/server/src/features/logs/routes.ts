import type { Database } from "../../platform/database/index.ts";
import { type Call, type Handlers, type OpenWaits, streamSse, untilGone } from "../../platform/http/index.ts";
import type { Signals } from "../../platform/wake-up/index.ts";
import { requireReadable, whileReadable } from "../projects/index.ts";
import { MadeChunks } from "./made-chunks.ts";
import { chunkOf, emptyEvent, eventsOf, readLast, readNext, readPage } from "./read-log.ts";
import { showServiceLog } from "./service-log.ts";
import { type LogFilter, selectSources } from "./store.ts";
import { unknownName } from "./unknown-name.ts";

interface Deps {
  readonly db: Database;
  readonly openWaits: OpenWaits;
  /** Signalled when this node wrote lines of a project. */
  readonly signals: Signals;
  /** The last lines of the service log of this node. */
  readonly serviceLines: () => readonly string[];
}

const defaultTail = 200;
/** How often to poll for lines that other nodes wrote. */
const pollMs = 1_000;

/** The log of a project (its end, what follows a cursor, or a stream) and the log of the service. */
export function logRoutes(deps: Deps): Pick<Handlers, "readLogs" | "readServiceLog"> {
  const { db, openWaits } = deps;
  const made = new MadeChunks();
  return {
    readLogs: async (call) => {
      const { params, principal, query, request, reply } = call;
      const project = await requireReadable(db, params.project_id, principal);
      const { service: source, task: taskId, agent: agentId, contains, tail = defaultTail, cursor } = query;
      const filter = { projectId: params.project_id, source, taskId, agentId, contains };
      if (source !== undefined) await requireSource(db, params.project_id, source);
      if (query.follow === true && request.method === "GET") {
        using _ = openWaits.open(principal);
        await streamLogs(
          { ...deps, made },
          whileReadable(db, call, project),
          filter,
          tail,
          cursor ?? request.headers["last-event-id"],
        );
        return undefined;
      }
      const reader = { isFollowed: cursor !== undefined, gone: untilGone(reply) };
      return { status: 200, body: await readPage(db, filter, { tail, cursor, ...reader }) };
    },
    readServiceLog: async ({ query: { service, tail = defaultTail } }) => ({
      status: 200,
      body: showServiceLog(deps.serviceLines(), { service, tail }),
    }),
  };
}

/** What writes to a project's log: agents, its scripts, the merge, the deployment, the deployed program, integrations. */
const usualSources = ["agent", "build", "test", "merge", "deploy", "app", "health_check", "commands", "slack", "jira"];

/** Refuses a source that never writes: silence would look like a program without output. */
async function requireSource(db: Database, projectId: string, source: string): Promise<void> {
  if (usualSources.includes(source)) return;
  const found = await selectSources(db, projectId);
  if (!found.includes(source)) throw unknownName(source, [...new Set([...usualSources, ...found])]);
}

async function streamLogs(
  { db, openWaits, signals, made }: Deps & { readonly made: MadeChunks },
  call: Pick<Call, "reply" | "isStillAdmitted">,
  filter: LogFilter,
  tail: number,
  lastSeen: string | string[] | undefined,
): Promise<void> {
  const reader = { isFollowed: true, gone: untilGone(call.reply) };
  let last = typeof lastSeen === "string" ? undefined : await readLast(db, filter, tail, reader);
  await streamSse(call, {
    after: typeof lastSeen === "string" ? chunkOf(lastSeen) : 0,
    pollMs,
    stopping: openWaits.signal,
    subscribe: (onSignal, until) => signals.subscribe(filter.projectId, onSignal, until),
    read: async (after) => {
      const { chunks, end, hasMore } = last ?? (await readNext(db, filter, after, reader));
      const isEmpty = last !== undefined && chunks.length === 0;
      last = undefined;
      return { events: isEmpty ? [emptyEvent(end)] : eventsOf(made, chunks, filter), end, hasMore };
    },
  });
}
