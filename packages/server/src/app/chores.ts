import { removeOldLeases } from "../agents/index.ts";
import { trimLogs } from "../engine/logs/index.ts";
import { artifactChores, type TrackedBlobs } from "../features/artifacts/index.ts";
import { sealAudit } from "../features/audit/index.ts";
import { type Authenticator, removeEnded, removeOldDevices } from "../features/auth/index.ts";
import { removeOldTokens } from "../features/federation/index.ts";
import { removeOldAttempts } from "../features/oauth/index.ts";
import type { Webhooks } from "../features/webhooks/index.ts";
import type { BlobBackend } from "../platform/blobs/index.ts";
import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/database/index.ts";
import { addRateCounts, type Metrics, type RateLimiter, removeExpired } from "../platform/http/index.ts";
import type { Log } from "../platform/log/index.ts";
import type { Config } from "./config.ts";

/** What is done every so often; `what` names it in the log when it fails. */
export interface Chore {
  readonly everyMs: number;
  readonly what: string;
  readonly work: () => Promise<unknown>;
  /** It is begun also while it is at work: it knows what is being done already, and goes on with the rest. */
  readonly mayOverlap?: true;
}

/** Does each chore at its interval, until the returned function is called. */
export function startChores(
  log: { warn(details: object, message: string): void },
  chores: readonly Chore[],
): () => void {
  const timers = chores.map(({ everyMs, what, work, mayOverlap }) => {
    let isBusy = false;
    const begin = async () => {
      // One that takes long, such as reading a large artifact, would be done ever more times at once, and each more slowly.
      if (isBusy && mayOverlap === undefined) return;
      isBusy = true;
      await work().catch((error: unknown) => log.warn({ err: error }, `${what} failed`));
      isBusy = false;
    };
    return setInterval(() => void begin(), everyMs).unref();
  });
  return () => {
    for (const timer of timers) clearInterval(timer);
  };
}

interface Deps {
  readonly config: Config;
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly authenticator: Authenticator;
  readonly rateLimiter: RateLimiter;
  readonly webhooks: Webhooks;
  readonly blobs: TrackedBlobs;
  readonly blobBackend: BlobBackend;
  /** Asks sign-in providers again what their people may do. */
  readonly checkRoles: () => Promise<void>;
}

const tenMinutesMs = 600_000;

/** How many bytes of logs a project keeps, the newest first. */
const maxLogBytes = 50 * 1024 * 1024;

/** The chores of every node, whether it works on projects or not. */
export function choresOf(deps: Deps): Chore[] {
  const { db, clock, log, metrics, blobs, blobBackend, authenticator, webhooks } = deps;
  const { retentionDays, retentionCount } = deps.config.artifacts;
  const clean = (what: string, work: () => Promise<unknown>): Chore => ({ everyMs: tenMinutesMs, what, work });
  return [
    { everyMs: 20_000, what: "noting which tokens are used", work: () => authenticator.noteUse() },
    { everyMs: 10_000, what: "sealing the audit log", work: () => sealAudit(db) },
    // It claims whom it asks about. A provider that answers slowly would else end access late.
    { everyMs: 60_000, what: "asking sign-in providers", work: deps.checkRoles, mayOverlap: true },
    clean("removing sign-ins that nobody finished", () => removeOldAttempts(db, clock.now())),
    clean("removing ID tokens that have expired", () => removeOldTokens(db, clock.now())),
    clean("removing devices that nobody let in", () => removeOldDevices(db, clock.now())),
    clean("removing what has expired", () => removeExpired(db, clock.now())),
    clean("removing old leases", () => removeOldLeases(db)),
    clean("removing old logs", () => trimLogs(db, maxLogBytes)),
    clean("removing keys and tokens that ended long ago", () => removeEnded(db, clock.now())),
    clean("removing old deliveries", () => webhooks.trim()),
    ...artifactChores({
      db,
      clock,
      backend: blobBackend,
      blobs,
      log,
      retention: { days: retentionDays, count: retentionCount },
      onDamaged: (count) => metrics.damagedBlobs.set(count),
    }),
    ...sharedLimits(deps),
  ];
}

/** Nodes share their rate limits; only on a database of the operator's own can there be several. */
function sharedLimits({ config, db, rateLimiter }: Deps): Chore[] {
  if (config.databaseUrl === undefined) return [];
  const work = () => rateLimiter.share((start, counts) => addRateCounts(db, start, counts));
  return [{ everyMs: 1_000, what: "sharing rate limits", work }];
}
