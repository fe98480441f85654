import { hash } from "node:crypto";
import type { DeliveryAttempt, WebhookEventName } from "@slipway/contract";
import type { Clock } from "../../../platform/clock.ts";
import type { Log } from "../../../platform/log/index.ts";
import { type Call, type CallListener, type Dialler, DialRefusal } from "../../../platform/network/index.ts";
import { signatureHeader, writeBody } from "../sign-delivery.ts";
import { describeFailure, type Fault, faultOf, type Outcome } from "./retry-schedule.ts";
import { type Endpoint, type Secrets, secretsAt } from "./webhook-queue.ts";

export interface AttemptDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly dialler: Pick<Dialler, "post" | "connectedSince">;
  readonly userAgent: string;
  /** Calls in flight, for whoever must abort them all. */
  readonly calls: Set<Call>;
}

/** What is posted. */
export interface Message {
  readonly eventId: string;
  readonly event: WebhookEventName;
  readonly projectId: string;
  readonly sequence: number | null;
  readonly data: Record<string, unknown> | null;
  readonly happenedAt: Date;
  /** Attempts before this one. */
  readonly attemptCount: number;
}

export interface Attempted {
  readonly outcome: Outcome;
  readonly record: StoredAttempt;
}

/** Without the request's headers: they follow from the rest, and a signature must not be stored. */
export type StoredAttempt = Omit<DeliveryAttempt, "request"> & {
  readonly request: Omit<DeliveryAttempt["request"], "headers">;
};

export const maxAttemptMs = 15_000;
const maxBodyBytes = 2_048;
const maxHeaders = 30;
const maxHeaderLength = 300;

/** Posts a delivery once. Never rejects: what goes wrong here is an outcome too. */
export async function attemptDelivery(deps: AttemptDeps, endpoint: Endpoint, message: Message): Promise<Attempted> {
  const { url } = endpoint;
  const now = deps.clock.now();
  const beganMs = performance.now();
  let bytes = Buffer.alloc(0);
  let posted: Posted;
  try {
    if (endpoint.error !== undefined) throw endpoint.error;
    const { headers, body } = writeRequest(deps, endpoint, message, now);
    bytes = Buffer.from(body);
    posted = await post(deps, url, headers, bytes);
  } catch (error) {
    deps.log.error(
      { err: error, event_id: message.eventId, webhook_id: endpoint.id },
      "A delivery attempt failed here.",
    );
    posted = {
      outcome: { kind: "unanswered", fault: "us", error: "The service itself failed; the logs know more." },
      response: null,
    };
  }
  const { outcome, response } = posted;
  const fault = faultOf(outcome);
  const record: StoredAttempt = {
    number: message.attemptCount + 1,
    at: now.toISOString(),
    duration_ms: Math.round(performance.now() - beganMs),
    connect_ms: deps.dialler.connectedSince(url, beganMs) ?? null,
    request: { url: url.href, body_bytes: bytes.length, body_sha256: hash("sha256", bytes) },
    response,
    fault,
    error: fault === null ? null : describeFailure(outcome),
  };
  return { outcome, record };
}

interface Posted {
  readonly outcome: Outcome;
  readonly response: DeliveryAttempt["response"];
}

async function post(
  { dialler, calls }: AttemptDeps,
  url: URL,
  headers: Record<string, string>,
  body: Buffer,
): Promise<Posted> {
  const { promise, resolve } = Promise.withResolvers<Parameters<CallListener["onAnswer"]>[0] | Error>();
  const call = dialler.post(
    url,
    { headers, body, maxAnswerBytes: maxBodyBytes },
    { onAnswer: resolve, onFailure: resolve },
  );
  calls.add(call);
  let isLate = false;
  const deadline = setTimeout(() => {
    isLate = true;
    call.abort();
  }, maxAttemptMs);
  const answer = await promise;
  clearTimeout(deadline);
  calls.delete(call);
  if (answer instanceof Error) return { outcome: { kind: "unanswered", ...explain(answer, isLate) }, response: null };
  const { status } = answer;
  return {
    outcome: { kind: "answered", status, retryAfter: answer.headers["retry-after"] },
    response: { status, headers: storedHeaders(answer.headers), body: plainText(answer.body.toString("utf8")) },
  };
}

/** The headers and the body as they are posted. */
export function writeRequest(
  { userAgent }: Pick<AttemptDeps, "userAgent">,
  secrets: Secrets,
  { eventId: id, event, projectId, sequence, data, happenedAt, attemptCount }: Message,
  now: Date,
): { headers: Record<string, string>; body: string } {
  const unsigned = { event, timestamp: happenedAt.toISOString(), project_id: projectId, data: data ?? {} };
  const body = writeBody(unsigned, secrets.secret);
  const timestampSeconds = Math.floor(now.getTime() / 1000);
  const headers: Record<string, string> = {
    "content-type": "application/json",
    "user-agent": userAgent,
    "webhook-id": id,
    "webhook-timestamp": String(timestampSeconds),
    "webhook-signature": signatureHeader({ id, timestampSeconds, body }, secretsAt(secrets, now)),
    "webhook-attempt": String(attemptCount + 1),
  };
  if (sequence !== null) headers["webhook-sequence"] = String(sequence);
  return { body, headers };
}

function explain(error: Error & { code?: string }, isLate: boolean): { fault: Fault; error: string } {
  const { cause, code } = error;
  const refusal = [error, cause].find((one) => one instanceof DialRefusal);
  if (refusal !== undefined) return { fault: "receiver", error: refusal.message };
  if (isLate) return { fault: "receiver", error: `The receiver did not answer within ${maxAttemptMs / 1000} seconds.` };
  if (code === "UND_ERR_HEADERS_TIMEOUT" || code === "UND_ERR_BODY_TIMEOUT")
    return { fault: "receiver", error: "The receiver did not answer in time." };
  if (code === "UND_ERR_CONNECT_TIMEOUT")
    return { fault: "network", error: "The receiver could not be reached within 5 seconds." };
  const words = plainText(error.message.slice(0, 300));
  return { fault: "network", error: `The receiver could not be reached: ${words || code || "no reason is known"}.` };
}

/** Without cookies and tokens: whoever reads the history could take over a session with them. */
function storedHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const stored = Object.entries(headers)
    .filter(([name]) => !/cookie|authorization|token|secret/i.test(name))
    .slice(0, maxHeaders)
    .map(([name, value]) => [name.slice(0, 100), plainText(value).slice(0, maxHeaderLength)]);
  return Object.fromEntries(stored);
}

function plainText(text: string): string {
  return text.replace(/(?![\n\t])\p{Cc}/gu, "").toWellFormed();
}
