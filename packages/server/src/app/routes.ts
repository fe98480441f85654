import type { CompleteSpec } from "@slipway/spec";
import manifest from "../../package.json" with { type: "json" };
import type { LeaseSignals } from "../agents/index.ts";
import type { ProjectSignals } from "../engine/events/index.ts";
import { type FindSecrets, secretsToKeep } from "../engine/execution/index.ts";
import { describePrevious } from "../engine/generation/index.ts";
import { acceptanceRoutes, createReports } from "../features/acceptance/index.ts";
import { agentRoutes, requireUploadLease, workerRoutes } from "../features/agents-api/index.ts";
import { approvalRoutes } from "../features/approvals/index.ts";
import { artifactRoutes, type TrackedBlobs, uploadRoutes } from "../features/artifacts/index.ts";
import { auditRoutes } from "../features/audit/index.ts";
import {
  type Authenticator,
  deviceRoutes,
  keyRoutes,
  serviceAccountRoutes,
  sessionRoutes,
  userRoutes,
} from "../features/auth/index.ts";
import { deploymentRoutes } from "../features/deployments/index.ts";
import { diagnosticsRoutes } from "../features/diagnostics/index.ts";
import { type FederationRule, federationRoutes } from "../features/federation/index.ts";
import { gitHookRoutes, readGitRemotes } from "../features/git-hooks/index.ts";
import { logRoutes } from "../features/logs/index.ts";
import {
  checkUser,
  leaveProvider,
  oauthRoutes,
  type openProviders,
  type TokenVerifier,
} from "../features/oauth/index.ts";
import { operationsRoutes } from "../features/operations/index.ts";
import { type DocumentReader, type Documents, projectRoutes } from "../features/projects/index.ts";
import { planRoutes, runRoutes } from "../features/runs/index.ts";
import { secretRoutes } from "../features/secrets-api/index.ts";
import { sourceRoutes } from "../features/sources/index.ts";
import { requireTeam, teamRoutes } from "../features/teams/index.ts";
import type { Clock } from "../platform/clock.ts";
import { type Database, pingDatabase } from "../platform/database/index.ts";
import { Refusal } from "../platform/errors/index.ts";
import type { FailedTokens, Handlers, Metrics, OpenWaits, Transact } from "../platform/http/index.ts";
import type { Log, LogTail } from "../platform/log/index.ts";
import type { Plugins } from "../platform/plugins/index.ts";
import type { Keyring, SecretSources } from "../platform/secrets/index.ts";
import { StorageProbe } from "../platform/storage-probe.ts";
import type { TemporaryFolders } from "../platform/temporary-folders.ts";
import type { RequestAnnouncements } from "./channels.ts";
import type { Config } from "./config.ts";
import type { Engine } from "./engine.ts";
import type { Notifications } from "./notifications.ts";
import { providerDeps } from "./sign-in-providers.ts";

interface Deps {
  readonly config: Config;
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** The last lines that this process logged. */
  readonly tail: LogTail;
  readonly keyring: Keyring;
  readonly metrics: Metrics;
  readonly transact: Transact;
  readonly failedTokens: FailedTokens;
  /** Counts the sign-ins that an address begins. */
  readonly begunSignIns: FailedTokens;
  readonly signInProviders: ReturnType<typeof openProviders>;
  readonly federation: { readonly rules: readonly FederationRule[]; readonly verifier: TokenVerifier };
  readonly authenticator: Authenticator;
  readonly openWaits: OpenWaits;
  readonly signals: ProjectSignals;
  readonly leases: LeaseSignals;
  readonly reader: DocumentReader;
  readonly documents: Documents;
  readonly findDocument: (projectId: string) => Promise<CompleteSpec>;
  readonly secretSources: () => Promise<SecretSources>;
  readonly findSecrets: FindSecrets;
  readonly plugins: Plugins;
  readonly blobs: TrackedBlobs;
  readonly engine: Engine;
  readonly temporary: TemporaryFolders;
  readonly notifications: Notifications;
  readonly announce: RequestAnnouncements;
}

/** Which handlers serve the API: those of each feature. */
export function handlersOf(deps: Deps): Handlers {
  const projects = projectHandlers(deps);
  const operator = operatorHandlers(deps);
  return {
    ...projects,
    ...agentHandlers(deps),
    ...hookHandlers(deps),
    ...fileHandlers(deps),
    ...accountHandlers(deps),
    ...operator,
    ...diagnosticsRoutes({
      clock: deps.clock,
      version: manifest.version,
      reads: { ...projects, ...operator },
      secretsOf: (projectId) => secretsOf(deps, projectId),
    }),
    ...deps.notifications.webhooks.handlers(deps.transact),
  };
}

/** The values to mask, as far as they can be had: a project that lacks a secret is one to diagnose. */
async function secretsOf({ findDocument, findSecrets }: Deps, projectId: string): Promise<readonly string[]> {
  const found = await findSecrets(projectId, await findDocument(projectId));
  return "message" in found ? [] : Object.values(found.values);
}

function projectHandlers(deps: Deps) {
  const { config, db, log, engine, announce, documents } = deps;
  const run = { ...engine.commitDeps, db, transact: deps.transact, onCommit: announce.runCommanded };
  const { plans, agents } = engine.commitDeps;
  const reports = createReports(deps);
  return {
    ...projectRoutes({
      ...deps,
      documents: deps.reader,
      addressHost: config.appsHost,
      unmetIntegrations: deps.notifications.unmetIntegrations,
      unservedRequests: (document) => engine.deployments.unserved(document),
      agents,
      findPrevious: (ownerId, documentId) => describePrevious({ db, plans }, ownerId, documentId),
      onCreated: announce.projectCreated,
    }),
    ...runRoutes({
      ...run,
      findPlan: (projectId) => documents.prepare(projectId, false),
      onDeleted: (projectId) => {
        announce.projectChanged(projectId);
        void engine.forget(projectId).catch((error) => log.warn({ err: error }, "removing a workspace failed"));
      },
    }),
    ...deploymentRoutes({
      ...{ ...run, ...deps, onCommit: run.onCommit },
      findResolved: (projectId, environment) => documents.find(projectId, environment),
      addressHost: config.appsHost,
      settle: announce.deploymentWanted,
      onProjectChanged: announce.projectChanged,
    }),
    ...acceptanceRoutes({ ...deps, plans, reports }),
    ...planRoutes({ ...run, blobs: deps.blobs, findDocument: deps.findDocument }),
    ...approvalRoutes({
      ...{ ...run, blobs: deps.blobs, reports, findDocument: deps.findDocument },
      allowsSelf: config.approvalsAllowSelf,
      onAnswered: announce.projectChanged,
    }),
  };
}

function hookHandlers(deps: Deps) {
  const { declared, file } = deps.config.gitRemotes;
  return gitHookRoutes({
    ...deps,
    remotes: readGitRemotes(declared, file),
    environment: process.env,
    onCreated: deps.announce.projectCreated,
  });
}

function agentHandlers({
  db,
  clock,
  transact,
  blobs,
  leases,
  openWaits,
  signals,
  engine,
  announce,
  findSecrets,
  findDocument,
}: Deps) {
  return {
    ...agentRoutes({
      db,
      clock,
      transact,
      openWaits,
      signals,
      plans: engine.commitDeps.plans,
      workspaces: engine.workspaces,
      findSecrets: async ({ project_id: projectId, agent_id: agentId, attempt_id: attemptId }) => {
        const found = await findSecrets(projectId, await findDocument(projectId));
        // Without the values nobody can tell whether a file holds one.
        if ("message" in found) throw new Refusal("conflict", found.message);
        const now = secretsToKeep(engine.findAgent(agentId), found.values);
        return [...now, ...engine.secretsInUse.of(attemptId)];
      },
      onAgentsChanged: announce.agentsChanged,
      onTakenBack: announce.jobsTakenBack,
    }),
    ...workerRoutes({ db, blobs, leases, openWaits, onWorkerCame: announce.agentsChanged }),
  };
}

function fileHandlers({ config, db, clock, transact, blobs, engine }: Deps) {
  const { workspaces } = engine;
  const { projectQuota, totalQuota, maxUploadBytes } = config.artifacts;
  const quotas = { project: projectQuota, total: totalQuota };
  return {
    ...sourceRoutes({ db, clock, transact, plans: engine.commitDeps.plans, workspaces }),
    ...artifactRoutes({ db, clock, transact, blobs, workspaces, requireUploadLease }),
    ...uploadRoutes({ db, clock, transact, blobs, quotas, maxUploadBytes }),
  };
}

function accountHandlers(deps: Deps) {
  const { config, db, clock, keyring, transact, failedTokens, announce, notifications } = deps;
  const { webhooks } = notifications;
  const shared = { db, clock, keyring, transact, onRevoked: announce.accessRevoked };
  const providers = providerDeps(deps);
  const onBegun = (address: string) => deps.begunSignIns.count(address);
  const onBadToken = (address: string) => failedTokens.count(address);
  return {
    ...keyRoutes({ ...shared, maxKeysPerUser: config.apiKeysPerUser, requireTeam }),
    ...federationRoutes({ ...shared, ...deps.federation, onBadToken }),
    ...teamRoutes(shared),
    ...serviceAccountRoutes({ ...shared, maxKeysPerUser: config.apiKeysPerUser, requireTeam }),
    ...sessionRoutes({
      ...shared,
      authenticate: deps.authenticator.authenticate,
      onBadToken,
      onSignedOut: (userId) =>
        void leaveProvider(providers, userId).catch((error) =>
          deps.log.warn({ err: error }, "leaving a provider failed"),
        ),
    }),
    ...deviceRoutes({ ...shared, publicUrl: config.publicUrl, onBegun, onBadToken }),
    ...oauthRoutes({
      ...{ ...shared, ...providers, onBegun, onBadToken },
      publicUrl: config.publicUrl,
      authenticate: deps.authenticator.authenticate,
    }),
    ...userRoutes({
      ...shared,
      disableWebhooksOf: (trx, userId, userName) => webhooks.disableOf(trx, userId, userName),
      onWebhooksDisabled: (ids) => webhooks.notifyChanged(ids),
      onBadToken,
      checkUser: (userId) => checkUser(providers, userId),
    }),
    ...secretRoutes(shared),
    ...auditRoutes({ db }),
  };
}

function operatorHandlers({ config, db, metrics, openWaits, signals, tail }: Deps) {
  const storage = new StorageProbe(storageFolders(config).map(({ path }) => path));
  return {
    ...logRoutes({ db, openWaits, signals, serviceLines: () => tail.lines }),
    ...operationsRoutes({
      db,
      version: manifest.version,
      folders: storageFolders(config),
      metrics,
      ping: () => pingDatabase(db),
      requireStorage: () => storage.require(),
    }),
  };
}

/** The folders without which projects cannot go on; artifacts in a bucket need none. */
function storageFolders({ dataFolder, artifacts, artifactsFolder }: Config) {
  const data = { use: "data", path: dataFolder } as const;
  return artifacts.s3 === undefined ? [data, { use: "artifacts", path: artifactsFolder } as const] : [data];
}
