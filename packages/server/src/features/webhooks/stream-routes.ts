import { randomBytes } from "node:crypto";
import { type WebhookFrame, type WebhookFrames, webhookEventNames } from "@slipway/contract";
import { findLogEnd, type LogEnd, type LogPosition, selectEventsInCommitOrder } from "../../engine/events/index.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/index.ts";
import { Refusal } from "../../platform/errors/index.ts";
import { type Handlers, type OpenWaits, type Principal, streamSse } from "../../platform/http/index.ts";
import type { Signals } from "../../platform/wake-up/index.ts";
import { selectReadable } from "../projects/index.ts";
import { writeRequest } from "./delivery/attempt-delivery.ts";
import { encodeSecret } from "./sign-delivery.ts";

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly openWaits: OpenWaits;
  /** Signals `anyEvent` when there is a new event. */
  readonly signals: Signals;
  readonly userAgent: string;
}

/** The signal for an event of any project. */
export const anyEvent = "*";

const batchSize = 100;
const pollMs = 2_000;
/** A second read after each signal: an older transaction may still hold the event back when the signal comes. */
const secondReadMs = 20;

interface Wanted extends Pick<LogEnd, "isBefore"> {
  readonly events: readonly string[];
  readonly projectId: string | undefined;
}

const never = () => false;

/** Streams what a webhook of the caller would receive, without registering one. */
export function streamRoutes(deps: Deps): Pick<Handlers, "streamWebhook"> {
  const { db, openWaits, signals } = deps;
  return {
    streamWebhook: async (call) => {
      const { headers } = call.request;
      const lastSeen = headers["last-event-id"];
      const events = readEvents(call.query.events);
      const { place: after, isBefore } =
        typeof lastSeen === "string" ? { place: readPosition(lastSeen), isBefore: never } : await findLogEnd(db);
      const wanted = { events, projectId: call.query.project_id, isBefore };
      const secret = encodeSecret(randomBytes(24));
      if (!String(headers.accept ?? "").includes("text/event-stream")) {
        const { frames } = await readFrames(deps, call.principal, wanted, after, secret);
        const deliveries = frames.flatMap(({ event, data }) => (event === "delivery" ? [data as WebhookFrame] : []));
        const body: WebhookFrames = { secret, deliveries, last_event_id: frames.at(-1)?.id ?? writePosition(after) };
        return { status: 200, body };
      }
      using _ = openWaits.open(call.principal);
      let greeting = [{ id: writePosition(after), event: "secret", data: { secret } as unknown }];
      await streamSse(call, {
        after: writePosition(after),
        pollMs,
        stopping: openWaits.signal,
        subscribe: (onSignal, until) =>
          signals.subscribe(
            anyEvent,
            () => {
              onSignal();
              setTimeout(onSignal, secondReadMs).unref();
            },
            until,
          ),
        read: async (last) => {
          const { frames, hasMore } = await readFrames(deps, call.principal, wanted, readPosition(last), secret);
          const all = [...greeting, ...frames];
          greeting = [];
          return { events: all, hasMore };
        },
      });
      return undefined;
    },
  };
}

async function readFrames(
  { db, clock, userAgent }: Deps,
  principal: Principal,
  { events, projectId, isBefore }: Wanted,
  after: LogPosition,
  secret: string,
) {
  const frames: { id: string; event: string; data: unknown }[] = [];
  const rows = await selectEventsInCommitOrder(db, after, batchSize);
  const ids = [...new Set(rows.map((row) => row.project_id))];
  const readable = await selectReadable(db, ids, principal);
  const secrets = { secret: secret, oldSecret: undefined, oldSecretUntil: undefined };
  for (const row of rows) {
    const id = writePosition({ xid: row.xid, projectId: row.project_id, sequence: row.sequence });
    const isWanted =
      readable.has(row.project_id) &&
      !isBefore(row.xid) &&
      (projectId === undefined || projectId === row.project_id) &&
      (events.length === 0 || events.includes(row.name));
    if (isWanted) {
      const event = { eventId: row.id, event: row.name, projectId: row.project_id, data: row.data };
      const delivery = { ...event, happenedAt: row.created_at, attemptCount: 0, sequence: null };
      const data: WebhookFrame = writeRequest({ userAgent }, secrets, delivery, clock.now());
      frames.push({ id, event: "delivery", data });
    }
  }
  const last = rows.at(-1);
  const end = last && writePosition({ xid: last.xid, projectId: last.project_id, sequence: last.sequence });
  // Events that are not for this reader must not be read again.
  if (end !== undefined && frames.at(-1)?.id !== end) frames.push({ id: end, event: "place", data: {} });
  return { frames, hasMore: rows.length === batchSize };
}

function readEvents(text: string | undefined): readonly string[] {
  const names = (text ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  if (names.includes("*")) return [];
  const unknown = names.find((name) => !(webhookEventNames as readonly string[]).includes(name));
  if (unknown === undefined) return names;
  throw new Refusal(
    "invalid_parameter",
    `events: there is no event '${unknown.slice(0, 100)}'. There are: ${webhookEventNames.join(", ")}.`,
  );
}

function writePosition({ xid, projectId, sequence }: LogPosition): string {
  return `${xid}.${projectId}.${sequence}`;
}

function readPosition(text: string): LogPosition {
  const [, xid, projectId, sequence] = /^(\d{1,19})\.([\w-]{0,100})\.(\d{1,15})$/.exec(text) ?? [];
  if (xid === undefined || projectId === undefined || sequence === undefined)
    throw new Refusal("invalid_parameter", "Last-Event-ID must be the id of a frame of this stream.");
  return { xid, projectId, sequence: Number(sequence) };
}
