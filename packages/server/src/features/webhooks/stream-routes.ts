import { randomBytes } from "node:crypto";
import { type WebhookFrame, type WebhookFrames, webhookEventNames } from "@slipway/contract";
import { findLogEnd, type LogEnd, type LogPosition, selectEventsInCommitOrder } from "../../engine/events/index.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/index.ts";
import { Refusal } from "../../platform/errors/index.ts";
import { type Handlers, type OpenWaits, type Principal, streamSse } from "../../platform/http/index.ts";
import { answers, inTurns } from "../../platform/in-turns.ts";
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
        const deliveries: WebhookFrame[] = [];
        let last_event_id = writePosition(after);
        for await (const { id, event, data } of inTurns(frames, answers)) {
          if (event === "delivery") deliveries.push(data as WebhookFrame);
          last_event_id = id;
        }
        return { status: 200, body: { secret, deliveries, last_event_id } satisfies WebhookFrames };
      }
      using _ = openWaits.open(call.principal);
      let greeting: Frame[] = [{ id: writePosition(after), event: "secret", data: { secret } }];
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
          const first = greeting;
          greeting = [];
          return { events: inOrder(first, frames), hasMore };
        },
      });
      return undefined;
    },
  };
}

interface Frame {
  readonly id: string;
  readonly event: "secret" | "delivery" | "place";
  readonly data: unknown;
}

/** The next frames; each is signed when it is asked for: an event may have a megabyte, which takes ten milliseconds. */
async function readFrames(
  { db, clock, userAgent }: Deps,
  principal: Principal,
  { events, projectId, isBefore }: Wanted,
  after: LogPosition,
  secret: string,
): Promise<{ readonly frames: Iterable<Frame>; readonly hasMore: boolean }> {
  const rows = await selectEventsInCommitOrder(db, after, batchSize);
  const ids = [...new Set(rows.map((row) => row.project_id))];
  const readable = await selectReadable(db, ids, principal);
  const secrets = { secret: secret, oldSecret: undefined, oldSecretUntil: undefined };
  function* framesOf(): Generator<Frame> {
    for (const [at, row] of rows.entries()) {
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
        yield { id, event: "delivery", data };
        // Events that are not for this reader must not be read again.
      } else if (at === rows.length - 1) yield { id, event: "place", data: {} };
    }
  }
  return { frames: framesOf(), hasMore: rows.length === batchSize };
}

function* inOrder(...parts: readonly Iterable<Frame>[]): Generator<Frame> {
  for (const part of parts) yield* part;
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
