import { createHash } from "node:crypto";
import type { Endpoint } from "@slipway/contract";
import type { Clock } from "../clock.ts";
import { type Database, isDatabaseUnavailable, type Transaction } from "../database/index.ts";
import { Refusal } from "../errors/index.ts";
import type { Answer, Call } from "./handlers.ts";
import { type Claim, claimKey, type IdempotencyRow, releaseKey, settleKey } from "./store.ts";

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly encrypt: (text: Uint8Array) => Uint8Array;
  readonly decrypt: (text: Uint8Array) => Uint8Array;
}

const retentionMs = 24 * 3600_000;
const secretRetentionMs = 10 * 60_000;
/** No request takes longer: one that is in flight for longer died with its node. */
const maxInFlightMs = 90_000;

/** The only stored header of an answer with a secret: all of its headers, encrypted. */
const sealed = "sealed";

/** Executes the first request with an `Idempotency-Key`, and answers repeats with the stored answer. */
export class Idempotency {
  readonly #deps: Deps;
  readonly #claims = new WeakMap<Call["request"], Claim>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async run(call: Call, endpoint: Endpoint, handle: () => Promise<Answer | undefined>): Promise<Answer | undefined> {
    const key = endpoint.method === "POST" ? keyOf(call) : undefined;
    if (key === undefined) return handle();
    const { db, clock } = this.#deps;
    const now = clock.now();
    const isSecret = endpoint.answersSecret === true;
    const claim = { ...identify(call, key), requestHash: hashOf(call), isSecret, claimedAt: now };
    const earlier = await claimKey(db, claim, {
      expiresAt: this.#expiry(claim),
      abandonedBefore: new Date(now.getTime() - maxInFlightMs),
    });
    if (earlier !== undefined) return this.#replay(earlier, claim);
    this.#claims.set(call.request, claim);
    try {
      const answer = await handle();
      if (answer !== undefined && this.storesAnswerOf(call)) await this.settle(db, call, answer);
      return answer;
    } catch (error) {
      // Refused or failed, so nothing changed: the client may use the key again.
      const released = releaseKey(db, claim).catch(() => undefined);
      // When the database is unavailable, waiting for it again would delay the answer.
      if (!isDatabaseUnavailable(error)) await released;
      throw error;
    }
  }

  /** Whether the request carries a key, so that its answer is stored. */
  storesAnswerOf(call: Pick<Call, "request">): boolean {
    return this.#claims.has(call.request);
  }

  /** Stores the answer in the transaction of the change: after a crash, both exist or neither. */
  async settle(db: Database | Transaction, call: Pick<Call, "request">, answer: Answer): Promise<void> {
    const claim = this.#claims.get(call.request);
    if (claim === undefined) return;
    this.#claims.delete(call.request);
    const { encrypt } = this.#deps;
    const body = bytesOf(answer.body ?? null);
    const headers = answer.headers ?? {};
    const isStored = await settleKey(db, claim, {
      status: answer.status,
      // A cookie is as secret as the body: it is a session.
      headers: claim.isSecret ? { [sealed]: Buffer.from(encrypt(bytesOf(headers))).toString("base64") } : headers,
      body: claim.isSecret ? encrypt(body) : body,
      isEncrypted: claim.isSecret,
    });
    // This request took so long that a repeat took its place; throwing rolls back its transaction.
    if (!isStored) throw new Refusal("request_in_flight", "A repeat of this request has taken its place.");
  }

  #expiry({ isSecret }: Claim): Date {
    return new Date(this.#deps.clock.now().getTime() + (isSecret ? secretRetentionMs : retentionMs));
  }

  #replay(earlier: IdempotencyRow, claim: Claim): Answer {
    if (!earlier.requestHash.equals(claim.requestHash)) {
      throw new Refusal("idempotency_mismatch", "This Idempotency-Key was used for another request. Use a new one.");
    }
    if (earlier.status === null) {
      throw new Refusal("request_in_flight", "The first request with this Idempotency-Key is still in flight.", {
        headers: { "retry-after": "1" },
      });
    }
    const stored = earlier.body ?? Buffer.alloc(0);
    const body: unknown = earlier.isEncrypted ? this.#open(stored) : JSON.parse(stored.toString("utf8"));
    const headers = { ...this.#headersOf(earlier), "idempotency-replayed": "true" };
    return { status: earlier.status, headers, ...(body !== null && { body }) };
  }

  #headersOf({ headers }: IdempotencyRow): Record<string, string> {
    const text = headers?.[sealed];
    return text === undefined ? { ...headers } : (this.#open(Buffer.from(text, "base64")) as Record<string, string>);
  }

  #open(bytes: Uint8Array): unknown {
    return JSON.parse(Buffer.from(this.#deps.decrypt(bytes)).toString("utf8"));
  }
}

function bytesOf(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

function keyOf({ request }: Call): string | undefined {
  const key = request.headers["idempotency-key"];
  if (key === undefined) return undefined;
  if (typeof key !== "string" || !/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw new Refusal("invalid_parameter", "The Idempotency-Key must have 1 to 255 visible ASCII characters.");
  }
  return key;
}

function identify({ request }: Call, key: string): Pick<Claim, "principal" | "method" | "path" | "key"> {
  const principal = request.principal?.id ?? `address:${request.ip}`;
  return { principal, method: request.method, path: request.url.split("?")[0] ?? "", key };
}

/** Covers everything that makes up the request: query and body. */
function hashOf({ request, body, document }: Call): Buffer {
  const hash = createHash("sha256")
    .update(request.url.split("?")[1] ?? "")
    .update("\n");
  const bytes = (document as Uint8Array | undefined) ?? Buffer.from(JSON.stringify(body ?? null));
  return hash.update(bytes).digest();
}
