import manifest from "../../package.json" with { type: "json" };
import {
  agentOf,
  LeaseSignals,
  leasesChannel,
  readAgentSettings,
  registeredAgent,
  removeOldLeases,
  workerDriver,
} from "../agents/index.ts";
import { ProjectSignals, projectsChannel } from "../engine/events/index.ts";
import { describePrevious } from "../engine/generation/index.ts";
import { engineQueue } from "../engine/jobs/index.ts";
import type { CommitResult } from "../engine/lifecycle/index.ts";
import { trimLogs } from "../engine/logs/index.ts";
import { agentRoutes, requireUploadLease, workerRoutes } from "../features/agents-api/index.ts";
import { approvalRoutes, PermissionRequests } from "../features/approvals/index.ts";
import { artifactChores, artifactRoutes, TrackedBlobs, uploadRoutes } from "../features/artifacts/index.ts";
import { auditRoutes } from "../features/audit/index.ts";
import { Authenticator, authRoutes, countUsers, removeEnded, revocationsChannel } from "../features/auth/index.ts";
import { logRoutes } from "../features/logs/index.ts";
import { operationsRoutes, serveDocs } from "../features/operations/index.ts";
import { DocumentReader, Documents, prepareRun, projectRoutes } from "../features/projects/index.ts";
import { planRoutes, runRoutes } from "../features/runs/index.ts";
import { sourceRoutes } from "../features/sources/index.ts";
import { type WebhookOptions, webhooksChannel } from "../features/webhooks/index.ts";
import { openBlobBackend } from "../platform/blobs/index.ts";
import type { Clock } from "../platform/clock.ts";
import { type Database, pingDatabase } from "../platform/database/index.ts";
import {
  AccessControl,
  addRateCounts,
  BodyTimes,
  createHttpServer,
  createMetrics,
  createTransact,
  FailedTokens,
  type HttpServer,
  Idempotency,
  OpenWaits,
  RateLimiter,
  RequestsInFlight,
  removeExpired,
  serveEndpoints,
} from "../platform/http/index.ts";
import { type Log, LogTail } from "../platform/log/index.ts";
import { isLoopback, operatorsDialler } from "../platform/network/index.ts";
import { openPlugins, readPluginSettings } from "../platform/plugins/index.ts";
import { createSandbox } from "../platform/sandbox/index.ts";
import type { Keyring } from "../platform/secrets/index.ts";
import type { Config } from "./config.ts";
import { builtInAgentWith, Engine, type EngineOptions } from "./engine.ts";
import { Notifications } from "./notifications.ts";

/** Tells other nodes something, and hears what they tell. */
export interface NodeChannels {
  wake(channel: string, payload: string): void;
  subscribe(channel: string, onPayload: (payload: string) => void, onMissed: () => void): void;
}

interface Deps {
  readonly config: Pick<
    Config,
    | "requestsPerMinute"
    | "trustProxy"
    | "metricsToken"
    | "databaseUrl"
    | "dataFolder"
    | "artifactsFolder"
    | "artifacts"
    | "roles"
    | "sandbox"
    | "approvalsAllowSelf"
    | "environmentSecrets"
    | "agents"
    | "plugins"
    | "jira"
    | "publicUrl"
    | "host"
    | "allowLocalWebhooks"
    | "webhookNetworks"
  >;
  readonly db: Database;
  readonly channels: NodeChannels;
  readonly keyring: Keyring;
  readonly clock: Clock;
  readonly log: Log;
  /** The last of what this process logged. */
  readonly tail?: LogTail;
  readonly engine?: EngineOptions;
  readonly webhooks?: WebhookOptions;
}

export interface App {
  readonly http: HttpServer;
  /** Begins to carry projects out, where this node does. */
  start(): Promise<void>;
  /** Gives back what is under way. */
  stop(): Promise<void>;
  /** Refuses new requests from now on, ends streams, and waits until those under way are answered. */
  drain(): Promise<void>;
}

/** Puts the parts together: the only place that knows all of them. */
export async function createApp({
  config,
  db,
  channels,
  keyring,
  clock,
  log,
  tail = new LogTail(),
  engine: options = {},
  webhooks: webhookOptions = {},
}: Deps): Promise<App> {
  const metrics = createMetrics();
  const requests = new RequestsInFlight();
  const signals = new ProjectSignals();
  const openWaits = new OpenWaits(metrics);
  const { dataFolder } = config;
  const sandbox = await createSandbox({ mode: config.sandbox, dataFolder });
  const allowed = readPluginSettings(config.plugins.declared, config.plugins.file);
  const plugins = await openPlugins({ sandbox, dataFolder, log }, allowed);
  const documents = new DocumentReader(metrics, { plugins: plugins.known });
  const { s3, projectQuota, totalQuota, retentionDays, retentionCount, maxUploadBytes } = config.artifacts;
  const quotas = { project: projectQuota, total: totalQuota };
  const place = await openBlobBackend({ folder: config.artifactsFolder, s3 });
  const blobs = new TrackedBlobs({ db, place, quotas });
  const projectDocuments = new Documents(db, documents);
  const onCommit = ({ changed, queues, dropped }: CommitResult) => {
    for (const projectId of changed) notifyChanged(projectId);
    for (const queue of queues) channels.wake(queuesChannel, queue);
    if (dropped.size > 0) channels.wake(droppedChannel, "");
  };
  const dialler = operatorsDialler();
  const dial = dialler.fetch;
  const declared = readAgentSettings(config.agents.declared, config.agents.file);
  const builder = builtInAgentWith(plugins);
  const agents = declared.map((settings) =>
    agentOf(settings, { sandbox, dial, environment: process.env, blueprint: builder.driver, plugins }),
  );
  const leases = new LeaseSignals((id) => channels.wake(leasesChannel, id));
  const worker = workerDriver({ db, blobs, leases });
  const isPrivate = isLoopback(config.host);
  const secretSources = async () => ({
    environment: {
      variables: process.env,
      listed: config.environmentSecrets,
      isPrivate: isPrivate && (await countUsers(db)) < 2,
    },
    ofPlugin: plugins.secrets,
  });
  const engine = new Engine({
    db,
    clock,
    log: log.child({ service: "engine" }),
    dataFolder,
    blobs,
    documents: projectDocuments,
    permissions: new PermissionRequests({ db, clock, signals, onChanged: notifyChanged }),
    sandbox,
    isPrivate,
    secretSources,
    plugins,
    dial,
    agentOf: (row) => registeredAgent(row, { dial, environment: process.env, worker }),
    onCommit,
    onLogged: (projectId) => signals.signal(projectId),
    options: { agents: [builder, ...agents], ...options },
  });
  const findDocument = async (projectId: string) => (await projectDocuments.find(projectId)).document;
  /** A run was changed by a request: this node looks at once, the others when they hear of it. */
  const onCommand = (result: CommitResult) => {
    onCommit(result);
    for (const queue of result.queues) engine.wake(queue);
    // Also where no queue got anything: jobs that were held may be free now.
    engine.wake();
    if (result.dropped.size > 0) engine.checkOwn();
  };
  const onAgentsChanged = () => {
    engine.refreshAgents();
    channels.wake(agentsChannel, "");
  };
  const authenticator = new Authenticator({ db, clock, keyring });
  const rateLimiter = new RateLimiter(clock, config.requestsPerMinute);
  const idempotency = new Idempotency({ db, clock, encrypt: keyring.encrypt, decrypt: keyring.decrypt });
  const transact = createTransact(db, idempotency);
  const failedTokens = new FailedTokens(clock);
  const isDraining = () => requests.isDraining;
  const notifications = new Notifications({
    config,
    db,
    clock,
    log,
    keyring,
    metrics,
    openWaits,
    signals,
    version: manifest.version,
    findDocument,
    secretSources,
    dialOperators: dial,
    notifyNodes: (id) => channels.wake(webhooksChannel, id),
    options: webhookOptions,
  });
  const { webhooks } = notifications;

  const http = await createHttpServer({
    log: log.child({ service: "http" }),
    metrics,
    trustProxy: config.trustProxy ?? false,
    isDraining,
  });
  requests.watch(http);
  const bodyTimes = new BodyTimes();
  bodyTimes.watch(http);
  serveEndpoints(http, {
    bodyTimes,
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
        documents,
        secretSources,
        unmetIntegrations: notifications.unmetIntegrations,
        plugins,
        agents: engine.commitDeps.agents,
        findPrevious: (ownerId, documentId) =>
          describePrevious({ db, plans: engine.commitDeps.plans }, ownerId, documentId),
        onCreated: (projectId) => {
          notifyChanged(projectId);
          engine.wake();
          channels.wake(queuesChannel, engineQueue);
        },
      }),
      ...runRoutes({
        ...engine.commitDeps,
        db,
        transact,
        findRules: async (projectId) => prepareRun(await projectDocuments.find(projectId), false).rules,
        onCommit: onCommand,
        onDeleted: (projectId) => {
          notifyChanged(projectId);
          void engine.forget(projectId).catch((error) => log.warn({ err: error }, "removing a workspace failed"));
        },
      }),
      ...planRoutes({ ...engine.commitDeps, db, transact, blobs, findDocument, onCommit: onCommand }),
      ...approvalRoutes({
        allowsSelf: config.approvalsAllowSelf,
        ...engine.commitDeps,
        db,
        transact,
        onCommit: onCommand,
        onAnswered: notifyChanged,
      }),
      ...agentRoutes({
        db,
        clock,
        transact,
        plans: engine.commitDeps.plans,
        workspaces: engine.workspaces,
        onAgentsChanged,
        onTakenBack: () => {
          engine.checkOwn();
          channels.wake(droppedChannel, "");
        },
      }),
      ...workerRoutes({ db, blobs, leases, openWaits, onWorkerCame: onAgentsChanged }),
      ...sourceRoutes({ db, clock, transact, plans: engine.commitDeps.plans, workspaces: engine.workspaces }),
      ...artifactRoutes({ db, clock, transact, blobs, workspaces: engine.workspaces, requireUploadLease }),
      ...uploadRoutes({ db, clock, transact, blobs, quotas, maxBytes: maxUploadBytes }),
      ...logRoutes({ db, openWaits, signals, serviceLines: () => tail.lines }),
      ...webhooks.handlers(transact),
      ...auditRoutes({ db }),
      ...operationsRoutes({ version: manifest.version, metrics, ping: () => pingDatabase(db) }),
    },
  });
  serveDocs(http);

  channels.subscribe(
    projectsChannel,
    (projectId) => {
      signals.signal(projectId);
      notifications.noteEvent();
    },
    () => {
      signals.signalAll();
      notifications.noteMissed();
    },
  );
  channels.subscribe(
    webhooksChannel,
    (id) => webhooks.noteChanged(id),
    () => webhooks.noteMissed(),
  );
  channels.subscribe(
    queuesChannel,
    (queue) => engine.wake(queue),
    () => engine.wake(),
  );
  channels.subscribe(
    droppedChannel,
    () => engine.checkOwn(),
    () => engine.checkOwn(),
  );
  channels.subscribe(
    agentsChannel,
    () => engine.refreshAgents(),
    () => engine.refreshAgents(),
  );
  channels.subscribe(
    leasesChannel,
    (id) => leases.signal(id),
    () => leases.signalAll(),
  );
  channels.subscribe(
    revocationsChannel,
    () => authenticator.forget(),
    () => authenticator.forget(),
  );
  const chores = [
    every(20_000, "noting which tokens are used", () => authenticator.noteUse()),
    every(600_000, "removing what has expired", () => removeExpired(db, clock.now())),
    every(600_000, "removing old leases", () => removeOldLeases(db)),
    every(600_000, "removing old logs", () => trimLogs(db, maxLogBytes)),
    every(600_000, "removing keys and tokens that ended long ago", () => removeEnded(db, clock.now())),
    every(600_000, "removing old deliveries", () => webhooks.trim()),
    ...artifactChores({
      db,
      clock,
      place,
      blobs,
      log,
      retention: { days: retentionDays, count: retentionCount },
      onDamaged: (count) => metrics.damagedBlobs.set(count),
    }).map(({ everyMs, what, work }) => every(everyMs, what, work)),
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
    await documents.close();
    await dialler.close();
    await notifications.close();
    await authenticator.noteUse().catch(() => undefined);
  });

  return {
    http,
    start: async () => {
      if (!config.roles.includes("worker")) return;
      const isAlone = config.databaseUrl === undefined;
      await engine.start({ isAlone });
      await notifications.start({ isAlone });
    },
    stop: async () => {
      leases.leave();
      await notifications.stop();
      await engine.stop();
    },
    drain: () => {
      openWaits.stop();
      return requests.drain();
    },
  };

  function notifyChanged(projectId: string): void {
    signals.signal(projectId);
    notifications.noteEvent();
    channels.wake(projectsChannel, projectId);
  }

  function every(ms: number, what: string, work: () => Promise<void>): NodeJS.Timeout {
    return setInterval(() => work().catch((error) => log.warn({ err: error }, `${what} failed`)), ms).unref();
  }
}

/** Queues that got jobs, and that jobs were taken away. */
const queuesChannel = "slipway_queues";
const droppedChannel = "slipway_dropped";
/** Agents were registered, deleted, or are to be restarted. */
const agentsChannel = "slipway_agents";

/** What a project's logs may take, the newest first. */
const maxLogBytes = 50 * 1024 * 1024;
