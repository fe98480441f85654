import type { Keyring } from "../../../platform/secrets/index.ts";
import type { Message } from "./attempt-delivery.ts";
import type { RecentAttempts } from "./circuit-breaker.ts";
import type { DeliveryResult } from "./delivery-result.ts";
import type { EndpointRow, Lease } from "./delivery-store.ts";

/** What bodies are signed with. */
export interface Secrets {
  readonly secret: string;
  readonly oldSecret: string | undefined;
  readonly oldSecretUntil: Date | undefined;
}

/** A webhook as this node remembers it; valid as long as the webhook has the same version. */
export interface Endpoint extends Secrets {
  readonly id: string;
  readonly version: number;
  readonly url: URL;
  readonly isParked: boolean;
  readonly failingSince: Date | undefined;
  readonly parks: number;
  readonly keepsOrder: boolean;
  /** Why it cannot be posted to: every attempt fails, by our fault. */
  readonly error?: Error;
}

export function openEndpoint(keyring: Pick<Keyring, "decrypt">, row: EndpointRow): Endpoint {
  const open = (sealed: Buffer) => Buffer.from(keyring.decrypt(sealed)).toString("utf8");
  let secrets: Omit<Secrets, "oldSecretUntil"> & Pick<Endpoint, "error">;
  try {
    secrets = { secret: open(row.secret), oldSecret: row.oldSecret === null ? undefined : open(row.oldSecret) };
  } catch (cause) {
    secrets = { secret: "", oldSecret: undefined, error: new Error("The secret cannot be decrypted.", { cause }) };
  }
  return {
    ...secrets,
    id: row.id,
    version: row.version,
    url: new URL(row.url),
    oldSecretUntil: row.oldSecretUntil ?? undefined,
    isParked: row.status === "parked",
    failingSince: row.failingSince ?? undefined,
    parks: row.parks,
    keepsOrder: row.ordering === "project",
  };
}

/** The secrets to sign with at that time, the newest first. */
export function secretsAt({ secret, oldSecret, oldSecretUntil }: Secrets, now: Date): readonly string[] {
  const isOldValid = oldSecret !== undefined && oldSecretUntil !== undefined && now < oldSecretUntil;
  return isOldValid ? [secret, oldSecret] : [secret];
}

/** Who writes what becomes of a delivery: first its batch, then, once it has a row, the deliverer. */
export interface DeliveryOwner {
  settle(delivery: QueuedDelivery, result: DeliveryResult): void;
  /** They were not attempted: any node may claim them. */
  release(deliveries: readonly QueuedDelivery[]): void;
}

/** A delivery that this node is to post. */
export interface QueuedDelivery extends Message {
  readonly webhookId: string;
  readonly failures: number;
  readonly claimedAtMs: number;
  /** The webhook is parked: this attempt tries whether it works again. */
  readonly isTrial: boolean;
  /** Undefined: nobody can write what becomes of it any more, so it is not posted. */
  owner: DeliveryOwner | undefined;
  /** Its row, once it has one. */
  lease: Lease | undefined;
}

/** What this node does for one webhook. */
export interface WebhookQueue {
  readonly id: string;
  endpoint: Endpoint | undefined;
  waiting: QueuedDelivery[];
  inFlight: number;
  /** How many may be in flight: grows with what arrives, and restarts at 1 after a failure. */
  concurrency: number;
  /** The last attempt failed. */
  isFailing: boolean;
  /** The last attempt took longer than a batch waits, or has not ended yet. */
  isSlow: boolean;
  /** There may be due deliveries in the database. */
  mayHaveDue: boolean;
  /** It is in line to start its next attempt. */
  isReady: boolean;
  recent: RecentAttempts;
}

const firstConcurrency = 2;
export const maxConcurrency = 8;
/** How many deliveries wait in memory for each that may be in flight, where everything arrives. */
const waitingPerSlot = 32;

export function newWebhookQueue(id: string): WebhookQueue {
  return {
    id,
    endpoint: undefined,
    waiting: [],
    inFlight: 0,
    concurrency: firstConcurrency,
    isFailing: false,
    isSlow: false,
    mayHaveDue: true,
    isReady: false,
    recent: [],
  };
}

export function adjustConcurrency(queue: WebhookQueue, hasArrived: boolean): void {
  queue.isFailing = !hasArrived;
  queue.concurrency = hasArrived ? Math.min(queue.concurrency + 1, maxConcurrency) : 1;
}

/** How many deliveries a webhook may have in memory. None wait for a receiver that fails or is not known yet. */
export function maxInMemory({ concurrency, isFailing }: WebhookQueue): number {
  return isFailing || concurrency <= firstConcurrency ? concurrency : concurrency * waitingPerSlot;
}

/** How many more to claim for a webhook: many at a time, since each claim is a round trip to the database. */
export function freeSlots(queue: WebhookQueue): number {
  const max = maxInMemory(queue);
  const free = max - queue.waiting.length - queue.inFlight;
  return free * 2 >= max ? free : 0;
}
