import type { CompleteSpec } from "@slipway/spec";
import manifest from "../../package.json" with { type: "json" };
import {
  declaredAgent,
  LeaseSignals,
  leasesChannel,
  type RunnableAgent,
  readAgentSettings,
  registeredAgent,
  workerDriver,
} from "../agents/index.ts";
import { readHostId, readKubernetesSettings, readSshSettings } from "../deployment/index.ts";
import { ProjectSignals } from "../engine/events/index.ts";
import type { FindSecrets } from "../engine/execution/index.ts";
import { PermissionRequests } from "../features/approvals/index.ts";
import { TrackedBlobs } from "../features/artifacts/index.ts";
import { Authenticator, countUsers } from "../features/auth/index.ts";
import { serveDashboard } from "../features/dashboard/index.ts";
import { readFederationRules } from "../features/federation/index.ts";
import { checkRoles, openProviders as openSignIn, TokenVerifier } from "../features/oauth/index.ts";
import { DocumentReader, Documents, findOwner } from "../features/projects/index.ts";
import { builtInProvider } from "../features/secrets-api/index.ts";
import { type WebhookOptions, webhooksChannel } from "../features/webhooks/index.ts";
import { openBlobBackend } from "../platform/blobs/index.ts";
import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/database/index.ts";
import {
  AccessControl,
  BodyTimes,
  createHttpServer,
  createMetrics,
  createTransact,
  FailedTokens,
  type Handlers,
  type HttpServer,
  Idempotency,
  type Metrics,
  OpenWaits,
  RateLimiter,
  RequestsInFlight,
  serveEndpoints,
  type TlsContext,
} from "../platform/http/index.ts";
import { type Log, LogTail } from "../platform/log/index.ts";
import { type Dialler, isLoopback, operatorsDialler } from "../platform/network/index.ts";
import { openPlugins, type Plugins, readPluginSettings } from "../platform/plugins/index.ts";
import { createSandbox, type Sandbox } from "../platform/sandbox/index.ts";
import {
  environmentProvider,
  openProviders,
  pluginProvider,
  readProviderSettings,
} from "../platform/secret-providers/index.ts";
import { type Keyring, lookUpSecrets, type SecretSources } from "../platform/secrets/index.ts";
import { builtInAgentWith } from "./built-in-agent.ts";
import { type NodeChannels, projectAnnouncements, requestAnnouncements, subscribe } from "./channels.ts";
import { choresOf, startChores } from "./chores.ts";
import type { Config } from "./config.ts";
import type { DeploymentSettings } from "./create-deployments.ts";
import { createEngine, type EngineOptions } from "./create-engine.ts";
import { createNotifications } from "./notifications.ts";
import { handlersOf } from "./routes.ts";
import { providerDeps } from "./sign-in-providers.ts";

interface Deps {
  readonly config: Config;
  readonly db: Database;
  readonly channels: NodeChannels;
  readonly keyring: Keyring;
  readonly clock: Clock;
  readonly log: Log;
  /** The last lines that this process logged. */
  readonly tail?: LogTail;
  /** The service's own certificate. */
  readonly tls?: TlsContext;
  readonly engine?: EngineOptions;
  readonly webhooks?: WebhookOptions;
  /** How often readers that wait for a project poll, beside being woken; left out: every two seconds. */
  readonly readerPollMs?: number;
}

export interface App {
  readonly http: HttpServer;
  /** Begins to work on projects, if this node's roles say so. */
  start(): Promise<void>;
  /** Gives back the jobs in flight. */
  stop(): Promise<void>;
  /** Refuses new requests from now on, ends streams, and waits until requests in flight are answered. */
  drain(): Promise<void>;
}

/** Composes the service: the only function that knows all of its parts. */
export async function createApp(deps: Deps): Promise<App> {
  const { config, db, channels, keyring, clock, log, tail = new LogTail() } = deps;
  const metrics = createMetrics();
  const openWaits = new OpenWaits(metrics);
  const signals = new ProjectSignals(deps.readerPollMs);
  const sandbox = await createSandbox({ mode: config.sandbox, dataFolder: config.dataFolder });
  const plugins = await pluginsOf(config, sandbox, log);
  const { blobs, blobBackend } = await openBlobs(config, db);
  const reader = new DocumentReader(metrics, { plugins: plugins.known });
  const documents = new Documents(db, reader);
  const findDocument = async (projectId: string, environment?: string): Promise<CompleteSpec> =>
    (await documents.find(projectId, environment)).document;
  const dialler = operatorsDialler();
  const secretSources = secretSourcesOf({ config, db, keyring, plugins, dialler });
  const findSecrets: FindSecrets = async (projectId, document) =>
    lookUpSecrets(await secretSources(), document, await findOwner(db, projectId));
  const leases = new LeaseSignals((id) => channels.wake(leasesChannel, id));
  const shared = { config, db, clock, log, keyring, metrics, openWaits, signals, documents, findDocument };

  const notifications = createNotifications({
    ...shared,
    version: manifest.version,
    findSecrets,
    dialOperators: dialler.fetch,
    notifyNodes: (id) => channels.wake(webhooksChannel, id),
    options: deps.webhooks ?? {},
  });
  const projects = projectAnnouncements({ channels, signals, notifications });
  const worker = workerDriver({ db, blobs, leases });
  const engine = createEngine({
    ...shared,
    log: log.child({ service: "engine" }),
    dataFolder: config.dataFolder,
    packageCacheBytes: config.packageCacheBytes,
    blobs,
    permissions: new PermissionRequests({ db, clock, signals, onChanged: projects.changed }),
    sandbox,
    isPrivate: isLoopback(config.host),
    findSecrets,
    plugins,
    dial: dialler.fetch,
    advisoriesAt: config.securityAdvisories,
    registeredAgent: (row) => registeredAgent(row, { dial: dialler.fetch, environment: process.env, worker }),
    onCommit: projects.committed,
    onProjectChanged: projects.changed,
    apps: {
      host: await readHostId(config.dataFolder, clock.now().getTime()),
      addressHost: config.appsHost,
      maxDiskBytes: config.appDiskBytes,
      isInside: config.supervisor === "inside",
      targets: targetsOf(config),
      orchestrators: config.orchestrators,
      containers: {
        ...config.containers,
        allowsOwn: async () => config.containers.allowsOwn ?? (await countUsers(db)) < 2,
      },
    },
    onLogged: (projectId) => signals.signal(projectId),
    options: { agents: agentsOf(config, { sandbox, plugins, dialler }), ...deps.engine },
  });
  const authenticator = new Authenticator({ db, clock, keyring });
  const rateLimiter = new RateLimiter(clock, {
    caller: config.requestsPerMinute,
    user: config.requestsPerMinuteOfUser,
  });
  const idempotency = new Idempotency({ db, clock, encrypt: keyring.encrypt, decrypt: keyring.decrypt });
  const failedTokens = new FailedTokens(clock);
  const begunSignIns = new FailedTokens(clock, { maxPerMinute: 60, refusal: "Your address began too many sign-ins." });
  const signInProviders = openSignInProviders({ config, dialler, secretSources });
  const federation = openFederation({ config, dialler, clock });
  const requests = new RequestsInFlight();

  const announce = requestAnnouncements({ channels, projects, engine, authenticator });
  const handlers = handlersOf({
    ...shared,
    tail,
    transact: createTransact(db, idempotency),
    failedTokens,
    begunSignIns,
    signInProviders,
    federation,
    authenticator,
    leases,
    reader,
    secretSources,
    findSecrets,
    plugins,
    blobs,
    engine,
    temporary: sandbox.temporary,
    notifications,
    announce,
  });
  const { metricsToken } = config;
  const access = new AccessControl({ authenticate: authenticator.authenticate, failedTokens, metricsToken });
  const http = await serveHttp({
    ...{ config, log, metrics, requests, handlers, access, rateLimiter, idempotency },
    tls: deps.tls,
  });
  subscribe({ channels, signals, notifications, engine, leases, authenticator });
  const { webhooks } = notifications;
  const chores = choresOf({
    ...{ ...shared, authenticator, rateLimiter, webhooks, blobs, blobBackend },
    checkRoles: () => checkRoles(providerDeps({ ...shared, signInProviders, notifications, announce })),
  });
  const stopChores = startChores(log, chores);
  http.addHook("onClose", async () => {
    stopChores();
    await reader.close();
    await dialler.close();
    await notifications.close();
    await authenticator.noteUse().catch(() => undefined);
  });

  return {
    http,
    start: async () => {
      if (!config.roles.includes("worker")) {
        await sandbox.temporary.removeLeft();
        return;
      }
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
}

interface SignInDeps {
  readonly config: Config;
  readonly dialler: Dialler;
  readonly secretSources: () => Promise<SecretSources>;
}

function openSignInProviders({ config, dialler, secretSources }: SignInDeps): ReturnType<typeof openSignIn> {
  return openSignIn({ dial: dialler.fetch, secretSources }, config.oauth.declared, config.oauth.file);
}

/** Which CI jobs get keys, and how their tokens are verified. */
function openFederation({ config, dialler, clock }: { config: Config; dialler: Dialler; clock: Clock }) {
  const rules = readFederationRules(config.federation.declared, config.federation.file, config.publicUrl);
  const issuers = rules.map(({ issuer }) => issuer);
  return { rules, verifier: new TokenVerifier({ clock, dial: dialler.fetch }, issuers) };
}

/** Where the operator lets documents be deployed, beside this machine. */
function targetsOf({ kubernetes, ssh }: Config): DeploymentSettings["targets"] {
  return {
    kubernetes: readKubernetesSettings(kubernetes.declared, kubernetes.file),
    ssh: readSshSettings(ssh.declared, ssh.file),
  };
}

function pluginsOf({ plugins, dataFolder }: Config, sandbox: Sandbox, log: Log): Promise<Plugins> {
  return openPlugins({ sandbox, dataFolder, log }, readPluginSettings(plugins.declared, plugins.file));
}

async function openBlobs({ artifacts, artifactsFolder }: Config, db: Database) {
  const { s3, projectQuota, totalQuota } = artifacts;
  const blobBackend = await openBlobBackend({ folder: artifactsFolder, s3 });
  const quotas = { project: projectQuota, total: totalQuota };
  return { blobs: new TrackedBlobs({ db, backend: blobBackend, quotas }), blobBackend };
}

/** The built-in agent, and those that the operator declared. */
function agentsOf(
  { agents }: Config,
  { sandbox, plugins, dialler }: { sandbox: Sandbox; plugins: Plugins; dialler: Dialler },
): RunnableAgent[] {
  const builder = builtInAgentWith(plugins);
  const deps = { sandbox, dial: dialler.fetch, environment: process.env, blueprint: builder, plugins };
  return [builder, ...readAgentSettings(agents.declared, agents.file).map((settings) => declaredAgent(settings, deps))];
}

interface SecretDeps extends Pick<Deps, "config" | "db" | "keyring"> {
  readonly plugins: Plugins;
  readonly dialler: Dialler;
}

/** Where the secrets of documents come from: the providers of every service, the operator's and those of plugins. */
function secretSourcesOf({ config, db, keyring, plugins, dialler }: SecretDeps): () => Promise<SecretSources> {
  const { host, environmentSecrets, secretProviders } = config;
  const environment = process.env;
  const settings = readProviderSettings(secretProviders.declared, secretProviders.file);
  const providers = new Map([
    ...openProviders({ dial: dialler.fetch, environment }, settings),
    ["environment", environmentProvider({ variables: environment, listed: environmentSecrets })],
    ["slipway", builtInProvider({ db, keyring })],
  ]);
  const ofPlugin = (name: string) => {
    const found = plugins.secrets(name);
    return found && pluginProvider(found, environment);
  };
  return async () => ({
    find: (name) => providers.get(name) ?? ofPlugin(name),
    isPrivate: isLoopback(host) && (await countUsers(db)) < 2,
  });
}

interface HttpDeps {
  readonly tls: TlsContext | undefined;
  readonly config: Config;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly requests: RequestsInFlight;
  readonly handlers: Handlers;
  readonly access: AccessControl;
  readonly rateLimiter: RateLimiter;
  readonly idempotency: Idempotency;
}

async function serveHttp(deps: HttpDeps): Promise<HttpServer> {
  const { config, log, metrics, requests, handlers, access, rateLimiter, idempotency } = deps;
  const http = await createHttpServer({
    log: log.child({ service: "http" }),
    metrics,
    trustProxy: config.trustProxy ?? false,
    tls: deps.tls,
    isDraining: () => requests.isDraining,
  });
  requests.watch(http);
  const bodyTimes = new BodyTimes();
  bodyTimes.watch(http);
  serveEndpoints(http, { bodyTimes, access, rateLimiter, idempotency, handlers });
  serveDashboard(http);
  return http;
}
