import manifest from "../package.json" with { type: "json" };
import { auditRoutes } from "./audit/index.ts";
import { Authenticator, authRoutes, type Keyring, revocationsChannel } from "./auth/index.ts";
import type { Clock } from "./clock.ts";
import type { Config } from "./config.ts";
import { type Database, pingDatabase } from "./database/index.ts";
import { ProjectSignals, projectsChannel } from "./events/index.ts";
import {
  AccessControl,
  addRateCounts,
  createHttpServer,
  createMetrics,
  createTransact,
  FailedTokens,
  type HttpServer,
  Idempotency,
  OpenWaits,
  RateLimiter,
  removeExpired,
  serveEndpoints,
} from "./http/index.ts";
import type { Log } from "./log.ts";
import { openApiDocument, operationsRoutes, serveDocs } from "./operations/index.ts";
import { projectRoutes } from "./projects/index.ts";

/** Tells other nodes something, and hears what they tell. */
export interface NodeChannels {
  wake(channel: string, payload: string): void;
  subscribe(channel: string, onPayload: (payload: string) => void, onMissed: () => void): void;
}

interface Parts {
  readonly config: Pick<Config, "requestsPerMinute" | "trustProxy" | "metricsToken" | "databaseUrl">;
  readonly db: Database;
  readonly channels: NodeChannels;
  readonly keyring: Keyring;
  readonly clock: Clock;
  readonly log: Log;
}

export interface App {
  readonly http: HttpServer;
  /** Refuses new requests from now on, ends streams, and waits until those under way are answered. */
  drain(): Promise<void>;
}

/** Puts the parts together: the only place that knows all of them. */
export async function createApp({ config, db, channels, keyring, clock, log }: Parts): Promise<App> {
  const metrics = createMetrics();
  const requests = new RequestsUnderWay();
  const signals = new ProjectSignals();
  const openWaits = new OpenWaits(metrics);
  const authenticator = new Authenticator({ db, clock, keyring });
  const rateLimiter = new RateLimiter(clock, config.requestsPerMinute);
  const idempotency = new Idempotency({ db, clock, encrypt: keyring.encrypt, decrypt: keyring.decrypt });
  const transact = createTransact(db, idempotency);
  const failedTokens = new FailedTokens(clock);
  const isDraining = () => requests.isDraining;

  const http = await createHttpServer({ log, metrics, trustProxy: config.trustProxy ?? false, isDraining });
  requests.watch(http);
  serveEndpoints(http, {
    access: new AccessControl({
      authenticate: authenticator.authenticate,
      failedTokens,
      metricsToken: config.metricsToken,
    }),
    rateLimiter,
    idempotency,
    handlers: {
      ...authRoutes({
        db,
        clock,
        keyring,
        transact,
        onRevoked: () => {
          authenticator.forget();
          channels.wake(revocationsChannel, "");
        },
        onBadToken: (address) => failedTokens.count(address),
      }),
      ...projectRoutes({
        db,
        clock,
        transact,
        signals,
        openWaits,
        onChanged: (projectId) => {
          signals.signal(projectId);
          channels.wake(projectsChannel, projectId);
        },
      }),
      ...auditRoutes({ db }),
      ...operationsRoutes({ metrics, ping: () => pingDatabase(db) }),
    },
  });
  serveDocs(http, () => openApiDocument(manifest.version));

  channels.subscribe(
    projectsChannel,
    (projectId) => signals.signal(projectId),
    () => signals.signalAll(),
  );
  channels.subscribe(
    revocationsChannel,
    () => authenticator.forget(),
    () => authenticator.forget(),
  );
  const chores = [
    every(20_000, "noting which tokens are used", () => authenticator.noteUse()),
    every(600_000, "removing what has expired", () => removeExpired(db, clock.now())),
    // Only a database of the operator's own can have several nodes.
    ...(config.databaseUrl === undefined
      ? []
      : [
          every(1_000, "sharing rate limits", () =>
            rateLimiter.share((start, counts) => addRateCounts(db, start, counts)),
          ),
        ]),
  ];
  http.addHook("onClose", async () => {
    for (const chore of chores) clearInterval(chore);
    await authenticator.noteUse().catch(() => undefined);
  });

  return {
    http,
    drain: () => {
      openWaits.stop();
      return requests.drain();
    },
  };

  function every(ms: number, what: string, work: () => Promise<void>): NodeJS.Timeout {
    return setInterval(() => work().catch((error) => log.warn({ err: error }, `${what} failed`)), ms).unref();
  }
}

const longestDrainMs = 25_000;

/** Counts the requests under way, so that stopping can wait for them. */
class RequestsUnderWay {
  isDraining = false;
  #count = 0;
  #onNone: (() => void) | undefined;

  watch(http: HttpServer): void {
    http.addHook("onRequest", async (_request, reply) => {
      this.#count += 1;
      // Also when the client goes away before it is answered.
      reply.raw.once("close", () => {
        this.#count -= 1;
        if (this.#count === 0) this.#onNone?.();
      });
    });
  }

  async drain(): Promise<void> {
    this.isDraining = true;
    if (this.#count === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onNone = resolve;
    const impatience = setTimeout(resolve, longestDrainMs);
    await promise;
    clearTimeout(impatience);
  }
}
