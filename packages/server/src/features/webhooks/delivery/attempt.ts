import { hash } from "node:crypto";
import type { DeliveryAttempt } from "@slipway/contract";
import type { Clock } from "../../../platform/clock.ts";
import type { Log } from "../../../platform/log/index.ts";
import { type CallListener, type Dialler, DialRefusal } from "../../../platform/network/index.ts";
import { describeFailure, type Fault, faultOf, type Outcome } from "../schedule.ts";
import { signatureHeader, writeBody } from "../sign.ts";
import type { CallInFlight, CallsInFlight } from "./calls-in-flight.ts";
import { type Secrets, type Sender, secretsOf } from "./sender.ts";
import { failedHere } from "./settlement.ts";
import type { TakenDelivery } from "./store.ts";

interface Deps {
  readonly clock: Clock;
  readonly log: Log;
  readonly dialler: Pick<Dialler, "post" | "connectedSince">;
  readonly userAgent: string;
  /** What is under way, to be ended when the service cannot wait any longer. */
  readonly inFlight: CallsInFlight;
}

/** What is posted. */
type Posted = Pick<
  TakenDelivery,
  "eventId" | "event" | "projectId" | "sequence" | "data" | "happenedAt" | "attemptCount"
>;

export interface Attempted {
  readonly outcome: Outcome;
  /** As it is kept. */
  readonly record: KeptAttempt;
}

/** Without the headers that were sent: they follow from the rest, and the signature is not for the log. */
export type KeptAttempt = Omit<DeliveryAttempt, "request"> & {
  readonly request: Omit<DeliveryAttempt["request"], "headers">;
};

/** An attempt takes no longer. */
export const wholeMs = 15_000;
const maxAnswerBytes = 2_048;
const maxHeaders = 30;
const maxHeaderLength = 300;
const noBytes = Buffer.alloc(0);

/** Posts a delivery once, and gives how that went. */
export function attemptDelivery(parts: Deps, sender: Sender, delivery: Posted): Promise<Attempted> {
  const { promise, resolve } = Promise.withResolvers<Attempted>();
  beginAttempt(parts, sender, delivery, resolve);
  return promise;
}

/** Begins to post a delivery, and tells later how that went. */
export function beginAttempt(
  parts: Deps,
  sender: Sender,
  delivery: Posted,
  onEnd: (attempted: Attempted) => void,
): void {
  new Attempt(parts, { sender, delivery, onEnd }).begin();
}

interface Asked {
  readonly sender: Sender;
  readonly delivery: Posted;
  readonly onEnd: (attempted: Attempted) => void;
}

/** One post, from its beginning to its record. */
class Attempt implements CallListener {
  readonly #parts: Deps;
  readonly #asked: Asked;
  readonly #now: Date;
  #beganMs = 0;
  #body = noBytes;
  #waited: CallInFlight | undefined;

  constructor(parts: Deps, asked: Asked) {
    this.#parts = parts;
    this.#asked = asked;
    this.#now = parts.clock.now();
  }

  begin(): void {
    const { dialler, inFlight } = this.#parts;
    const { sender, delivery } = this.#asked;
    const { headers, body } = writeRequest(this.#parts, sender, delivery, this.#now);
    this.#body = Buffer.from(body);
    this.#beganMs = performance.now();
    this.#waited = inFlight.add(dialler.post(sender.url, { headers, body: this.#body, maxAnswerBytes }, this));
  }

  onAnswer({ status, headers, body }: Parameters<CallListener["onAnswer"]>[0]): void {
    this.#parts.inFlight.remove(this.#waited!);
    this.#end(() => {
      const words = body.length === 0 ? "" : plainText(body.toString("utf8"));
      const outcome: Outcome = { kind: "answered", status, retryAfter: headers["retry-after"] };
      return this.#recordOf(outcome, { status, headers: keptHeaders(headers), body: words });
    });
  }

  onFailure(error: Error): void {
    const { isLate } = this.#parts.inFlight.remove(this.#waited!);
    this.#end(() => this.#recordOf({ kind: "unanswered", ...explain(error, isLate) }, null));
  }

  /** Whatever an answer is like, whoever asked hears of it. */
  #end(record: () => Attempted): void {
    const { sender, delivery, onEnd } = this.#asked;
    let attempted: Attempted;
    try {
      attempted = record();
    } catch (error) {
      this.#parts.log.error({ err: error, event_id: delivery.eventId }, "What a receiver answered could not be taken.");
      attempted = failedHere(delivery, this.#now, sender.url.href);
    }
    onEnd(attempted);
  }

  #recordOf(outcome: Outcome, response: DeliveryAttempt["response"]): Attempted {
    const { sender, delivery } = this.#asked;
    const fault = faultOf(outcome);
    const record: KeptAttempt = {
      number: delivery.attemptCount + 1,
      at: timeText(this.#now),
      duration_ms: Math.round(performance.now() - this.#beganMs),
      connect_ms: this.#parts.dialler.connectedSince(sender.url, this.#beganMs) ?? null,
      request: { url: sender.url.href, body_bytes: this.#body.length, body_sha256: hash("sha256", this.#body) },
      response,
      fault,
      error: fault === null ? null : describeFailure(outcome),
    };
    return { outcome, record };
  }
}

/** The headers and the body as they are posted. */
export function writeRequest(
  { userAgent }: Pick<Deps, "userAgent">,
  sender: Secrets,
  delivery: Posted,
  now: Date,
): { headers: Record<string, string>; body: string } {
  const { eventId: id, event, projectId, sequence, data, happenedAt, attemptCount } = delivery;
  const told = { event, timestamp: happenedAt.toISOString(), project_id: projectId, data: data ?? {} };
  const body = writeBody(told, sender.secret);
  const timestampSeconds = Math.floor(now.getTime() / 1000);
  const headers: Record<string, string> = {
    "content-type": "application/json",
    "user-agent": userAgent,
    "webhook-id": id,
    "webhook-timestamp": String(timestampSeconds),
    "webhook-signature": signatureHeader({ id, timestampSeconds, body }, secretsOf(sender, now)),
    "webhook-attempt": String(attemptCount + 1),
  };
  if (sequence !== null) headers["webhook-sequence"] = String(sequence);
  return { body, headers };
}

let lastTime = { ms: Number.NaN, text: "" };

/** As `toISOString`, which would be a part of a delivery's cost that can be seen: many begin in the same millisecond. */
function timeText(time: Date): string {
  const ms = time.getTime();
  if (ms !== lastTime.ms) lastTime = { ms, text: time.toISOString() };
  return lastTime.text;
}

function explain(error: unknown, isLate: boolean): { fault: Fault; error: string } {
  const { cause, code } = error as { cause?: unknown; code?: string };
  const refusal = [error, cause].find((one) => one instanceof DialRefusal) as DialRefusal | undefined;
  if (refusal !== undefined) return { fault: "receiver", error: refusal.message };
  if (isLate) return { fault: "receiver", error: `The receiver did not answer within ${wholeMs / 1000} seconds.` };
  if (code === "UND_ERR_HEADERS_TIMEOUT" || code === "UND_ERR_BODY_TIMEOUT")
    return { fault: "receiver", error: "The receiver did not answer in time." };
  if (code === "UND_ERR_CONNECT_TIMEOUT")
    return { fault: "network", error: "The receiver could not be reached within 5 seconds." };
  const words = plainText(String((error as Error).message ?? error).slice(0, 300));
  return { fault: "network", error: `The receiver could not be reached: ${words || code || "no reason is known"}.` };
}

/** Nothing that a session could be taken over with, and no more than fits. */
function keptHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const kept: Record<string, string> = {};
  let left = maxHeaders;
  for (const name in headers) {
    if (left === 0) break;
    if (/cookie|authorization|token|secret/i.test(name)) continue;
    kept[name.slice(0, 100)] = plainText(headers[name]!).slice(0, maxHeaderLength);
    left -= 1;
  }
  return kept;
}

function plainText(text: string): string {
  // Most are plain already.
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  return text.replace(/(?![\n\t])\p{Cc}/gu, "").toWellFormed();
}
