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

const keptMs = 24 * 3600_000;
const secretKeptMs = 10 * 60_000;
/** No request takes longer: what is in flight for longer was cut off. */
const inFlightMs = 90_000;

/** Makes repeated requests with the same `Idempotency-Key` one: the first is carried out, the others get its answer. */
export class Idempotency {
  readonly #parts: Deps;
  readonly #claims = new WeakMap<Call["request"], Claim>();

  constructor(parts: Deps) {
    this.#parts = parts;
  }

  async run(call: Call, endpoint: Endpoint, handle: () => Promise<Answer | undefined>): Promise<Answer | undefined> {
    const key = endpoint.method === "POST" ? keyOf(call) : undefined;
    if (key === undefined) return handle();
    const { db, clock } = this.#parts;
    const now = clock.now();
    const isSecret = endpoint.answersSecret === true;
    const claim = { ...identify(call, key), requestHash: hashOf(call), isSecret, claimedAt: now };
    const earlier = await claimKey(db, claim, {
      expiresAt: this.#expiry(claim),
      abandonedBefore: new Date(now.getTime() - inFlightMs),
    });
    if (earlier !== undefined) return this.#replay(earlier, claim);
    this.#claims.set(call.request, claim);
    try {
      const answer = await handle();
      if (answer !== undefined && this.keepsAnswerOf(call)) await this.settle(db, call, answer);
      return answer;
    } catch (error) {
      // Refused or failed: nothing was done, so the same key may be tried again.
      const released = releaseKey(db, claim).catch(() => undefined);
      // A database that just gave no answer may give none again: nobody waits for that twice.
      if (!isDatabaseUnavailable(error)) await released;
      throw error;
    }
  }

  /** Whether the request carries a key, so that its answer is kept. */
  keepsAnswerOf(call: Pick<Call, "request">): boolean {
    return this.#claims.has(call.request);
  }

  /** Keeps the answer, in the transaction of the change it tells of: after a crash both are there, or neither. */
  async settle(db: Database | Transaction, call: Pick<Call, "request">, answer: Answer): Promise<void> {
    const claim = this.#claims.get(call.request);
    if (claim === undefined) return;
    this.#claims.delete(call.request);
    const body = Buffer.from(JSON.stringify(answer.body ?? null));
    const isKept = await settleKey(db, claim, {
      status: answer.status,
      headers: answer.headers ?? {},
      body: claim.isSecret ? this.#parts.encrypt(body) : body,
      isEncrypted: claim.isSecret,
    });
    // This request stood still for so long that a repeat took its place; in a transaction, its work is undone.
    if (!isKept) throw new Refusal("request_in_flight", "A repeat of this request has taken its place.");
  }

  #expiry({ isSecret }: Claim): Date {
    return new Date(this.#parts.clock.now().getTime() + (isSecret ? secretKeptMs : keptMs));
  }

  #replay(earlier: IdempotencyRow, claim: Claim): Answer {
    if (!earlier.requestHash.equals(claim.requestHash)) {
      throw new Refusal(
        "idempotency_mismatch",
        "This Idempotency-Key came before with another request. Use a new one.",
      );
    }
    if (earlier.status === null) {
      throw new Refusal("request_in_flight", "The first request with this Idempotency-Key is still under way.", {
        headers: { "retry-after": "1" },
      });
    }
    const bytes = earlier.isEncrypted
      ? this.#parts.decrypt(earlier.body ?? Buffer.alloc(0))
      : (earlier.body ?? Buffer.alloc(0));
    const body: unknown = JSON.parse(Buffer.from(bytes).toString("utf8"));
    const headers = { ...earlier.headers, "idempotency-replayed": "true" };
    return { status: earlier.status, headers, ...(body !== null && { body }) };
  }
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

/** Of all that makes the request: query and body. */
function hashOf({ request, body, document }: Call): Buffer {
  const hash = createHash("sha256")
    .update(request.url.split("?")[1] ?? "")
    .update("\n");
  const bytes = (document as Uint8Array | undefined) ?? Buffer.from(JSON.stringify(body ?? null));
  return hash.update(bytes).digest();
}
