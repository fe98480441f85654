import type { Keyring } from "../../../platform/secrets/index.ts";

import type { RecentAttempts } from "../breaker.ts";
import { type SigningSecret, signingSecret } from "../sign.ts";
import type { Held } from "./claimed.ts";
import type { SenderRow } from "./store.ts";

/** What bodies are signed with. */
export interface Secrets {
  readonly secret: SigningSecret;
  readonly oldSecret: SigningSecret | undefined;
  readonly oldSecretUntil: Date | undefined;
}

/** A webhook as it is remembered by who posts to it. */
export interface Sender extends Secrets {
  readonly id: string;
  /** What is remembered holds as long as this is the webhook's version. */
  readonly version: number;
  readonly url: URL;
  readonly isParked: boolean;
  readonly failingSince: Date | undefined;
  readonly parks: number;
  readonly keepsOrder: boolean;
}

export function openSender(keyring: Pick<Keyring, "decrypt">, row: SenderRow): Sender {
  const open = (sealed: Buffer) => signingSecret(Buffer.from(keyring.decrypt(sealed)).toString("utf8"));
  return {
    id: row.id,
    version: row.version,
    url: new URL(row.url),
    secret: open(row.secret),
    oldSecret: row.oldSecret === null ? undefined : open(row.oldSecret),
    oldSecretUntil: row.oldSecretUntil ?? undefined,
    isParked: row.status === "parked",
    failingSince: row.failingSince ?? undefined,
    parks: row.parks,
    keepsOrder: row.ordering === "project",
  };
}

/** The secrets to sign with now, the newest first. */
export function secretsOf({ secret, oldSecret, oldSecretUntil }: Secrets, now: Date): readonly SigningSecret[] {
  const isOldGood = oldSecret !== undefined && oldSecretUntil !== undefined && now < oldSecretUntil;
  return isOldGood ? [secret, oldSecret] : [secret];
}

/** What is done for a webhook on this node. */
export interface Lane {
  readonly id: string;
  sender: Sender | undefined;
  /** Taken, and not begun yet. */
  waiting: Held[];
  inFlight: number;
  /** Promised to statements that are under way. */
  promised: number;
  /** How many may be under way at once: grows with what arrives, and begins again with what does not. */
  width: number;
  /** The last attempt failed. */
  isSuspect: boolean;
  /** How many are under way that took longer than could be waited for, and since when it is known. */
  slow: number;
  slowSinceMs: number;
  /** There may be something to take. */
  isHungry: boolean;
  isQueued: boolean;
  record: RecentAttempts;
}

export function newLane(webhookId: string): Lane {
  return {
    // A copy: a part of a text keeps all of it, and lanes live long.
    id: Buffer.from(webhookId).toString(),
    sender: undefined,
    waiting: [],
    inFlight: 0,
    promised: 0,
    width: firstWidth,
    isSuspect: false,
    slow: 0,
    slowSinceMs: -Infinity,
    isHungry: true,
    isQueued: false,
    record: [],
  };
}

const firstWidth = 2;
/** So many are under way for a webhook at most. */
export const maxWidth = 8;
/** So many are taken ahead, for each that may be under way, where everything arrives. */
const ahead = 32;

export function noteWidth(lane: Pick<Lane, "width" | "isSuspect">, hasArrived: boolean): void {
  lane.isSuspect = !hasArrived;
  lane.width = hasArrived ? Math.min(lane.width + 1, maxWidth) : 1;
}

/** What is under way was waited for long enough. */
export function noteSlow(lane: Pick<Lane, "slow" | "slowSinceMs" | "inFlight">): void {
  lane.slow = lane.inFlight;
  lane.slowSinceMs = performance.now();
}

/** How many are held for a lane at most. Of a receiver that fails, or is not known yet, nothing is taken ahead. */
export function maxOf({ width, isSuspect }: Pick<Lane, "width" | "isSuspect">): number {
  return isSuspect || width <= firstWidth ? width : width * ahead;
}

/** How many more to take for a lane. */
export function slotsOf(lane: Lane): number {
  const { waiting, inFlight, promised } = lane;
  const most = maxOf(lane);
  const free = most - waiting.length - inFlight - promised;
  // Many at a time: each time costs a way to the database.
  return free * 2 >= most ? free : 0;
}
