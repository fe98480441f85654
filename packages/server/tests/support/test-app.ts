import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Role, Scope } from "@slipway/contract";
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from "fastify";
import { type Logger, pino } from "pino";
import type { NodeChannels } from "../../src/app/channels.ts";
import type { ArtifactSettings, Config } from "../../src/app/config.ts";
import { type App, createApp } from "../../src/app/create-app.ts";
import type { EngineOptions } from "../../src/app/create-engine.ts";
import { ensureAdmin } from "../../src/features/auth/index.ts";
import type { WebhookOptions } from "../../src/features/webhooks/index.ts";
import type { Clock } from "../../src/platform/clock.ts";
import {
  connectDatabase,
  type Database,
  type Schema,
  type SocketConnection,
  startListener,
  Waker,
} from "../../src/platform/database/index.ts";
import { type Keyring, loadKeyring } from "../../src/platform/secrets/keyring.ts";
import { FileScanner } from "../../src/verification/index.ts";
import { quietLog } from "./database/quiet-log.ts";
import { createTestDatabase } from "./database/test-database.ts";
import { whenDone } from "./when-done.ts";

const migrations = fileURLToPath(new URL("../../src/platform/database/migrations", import.meta.url));

/** For all services of this worker: a thread takes half a second to start. */
const scanner = new FileScanner();

/** A clock that tests turn by hand; it starts at the real time, and stands still unless it is told to run. */
class ManualClock implements Clock {
  #ms = Date.now();
  #runningSinceMs: number | undefined;

  now(): Date {
    return new Date(this.#ms + (this.#runningSinceMs === undefined ? 0 : performance.now() - this.#runningSinceMs));
  }

  run(): void {
    this.#runningSinceMs ??= performance.now();
  }

  advance(ms: number): void {
    this.#ms += ms;
  }
}

export interface TestApp {
  readonly app: App;
  readonly http: FastifyInstance;
  readonly db: Database;
  readonly connection: SocketConnection;
  readonly clock: ManualClock;
  readonly keyring: Keyring;
  readonly adminToken: string;
  readonly dataFolder: string;
  /** Calls an endpoint in-process; with the administrator's token unless told otherwise. */
  call(options: InjectOptions & { token?: string | null }): Promise<LightMyRequestResponse>;
  /** A new user of a role, and a token of theirs. */
  userToken(role: Role): Promise<{ userId: string; token: string; refreshToken: string }>;
  /** A key of the bearer of the token. */
  apiKey(scopes: readonly Scope[], token?: string): Promise<{ id: string; key: string }>;
  /**
   * Another node of the service on the same database, with connections of its own; an idle one only answers. Its operator may
   * have allowed other plugins. Its readers may poll so rarely that whatever they find they were woken for.
   */
  anotherNode(options?: NodeOptions): Promise<App>;
}

interface NodeOptions {
  readonly isIdle?: boolean;
  readonly plugins?: TestAppOptions["plugins"];
  /** Git remotes that its operator allowed. */
  readonly gitRemotes?: { readonly declared: unknown; readonly file: string };
  readonly readerPollMs?: number;
  /** A data folder of its own: what others have deployed is not there. */
  readonly dataFolder?: string;
  /** Its own way to the database. */
  readonly reach?: TestAppOptions["reach"];
}

interface TestAppOptions {
  readonly requestsPerMinute?: number;
  readonly requestsPerMinuteOfUser?: number;
  readonly securityAdvisories?: string;
  readonly apiKeysPerUser?: number;
  readonly metricsToken?: string;
  readonly databaseUrl?: string;
  readonly statementTimeoutMs?: number;
  readonly sandbox?: "auto" | "bubblewrap" | "none";
  readonly approvalsAllowSelf?: boolean;
  readonly environmentSecrets?: readonly string[];
  readonly orchestrators?: Config["orchestrators"];
  readonly containers?: Config["containers"];
  readonly host?: string;
  readonly allowLocalWebhooks?: boolean;
  readonly webhookNetworks?: readonly string[];
  readonly webhooks?: WebhookOptions;
  /** Limits on artifacts; left out: none. */
  readonly artifacts?: Partial<ArtifactSettings>;
  /** Agents as an operator's config file declares them. */
  readonly agents?: { readonly declared: unknown; readonly file: string };
  /** Plugins likewise. */
  readonly plugins?: { readonly declared: unknown; readonly file: string };
  /** Jira instances likewise. */
  readonly jira?: { readonly declared: unknown; readonly file: string };
  /** Secret providers likewise. */
  readonly secretProviders?: { readonly declared: unknown; readonly file: string };
  /** Targets of deployments likewise. */
  readonly kubernetes?: { readonly declared: unknown; readonly file: string };
  readonly ssh?: { readonly declared: unknown; readonly file: string };
  /** Sign-in providers likewise. */
  readonly oauth?: { readonly declared: unknown; readonly file: string };
  /** Rules for CI jobs likewise. */
  readonly federation?: { readonly declared: unknown; readonly file: string };
  readonly publicUrl?: string;
  /** Where it logs; left out: nowhere. */
  readonly log?: Logger;
  /** How projects are carried out; left out: they are not. */
  readonly engine?: EngineOptions;
  /** Another way to the same database, for tests that close it. */
  readonly reach?: (connection: SocketConnection) => Promise<SocketConnection>;
}

const keepEverything: ArtifactSettings = {
  projectQuota: undefined,
  totalQuota: undefined,
  retentionDays: undefined,
  retentionCount: undefined,
  maxUploadBytes: 1024 ** 3,
  s3: undefined,
};

/** The whole service on a database of its own, without a socket. Call it at the top of a test file. */
export async function createTestApp({
  reach = async (connection) => connection,
  statementTimeoutMs,
  engine,
  webhooks,
  artifacts = {},
  log = pino({ level: process.env["SLIPWAY_TEST_LOG"] ?? "silent" }),
  ...config
}: TestAppOptions = {}): Promise<TestApp> {
  const direct = (await createTestDatabase(migrations)).connection;
  const connection = await reach(direct);
  const folder = await mkdtemp(join(tmpdir(), "slipway-test-"));
  // Here and not where nodes start: tests may start some, and hooks must be there before.
  const stops: (() => Promise<void>)[] = [() => rm(folder, { recursive: true, force: true })];
  const shown = {} as TestApp;
  whenDone(async () => {
    for (const stop of stops.toReversed()) await stop();
    stops.length = 0;
    // Modules of tests are never forgotten: a worker would keep the services of all its files.
    for (const name of Object.keys(shown)) Reflect.deleteProperty(shown, name);
  });
  const clock = new ManualClock();
  const keyring = await loadKeyring({ variable: randomBytes(32).toString("base64"), file: "" });
  const startNode = async ({
    isIdle = false,
    plugins,
    gitRemotes,
    readerPollMs,
    dataFolder = folder,
    reach: reachOwn,
  }: NodeOptions = {}) => {
    const target = reachOwn === undefined ? connection : await reachOwn(direct);
    const { db, pool, close } = connectDatabase<Schema>(target, {
      log: quietLog,
      // Each plans every statement anew, which costs a short test more than waiting for another.
      maxConnections: 8,
      ...(statementTimeoutMs !== undefined && { statementTimeoutMs }),
    });
    const tokenFile = join(folder, "admin-token");
    await ensureAdmin({ db, clock, keyring, file: tokenFile });
    const listener = await startListener({ target, log: quietLog });
    const waker = new Waker({ query: (text, values) => pool.query(text, values), log: quietLog });
    const subscriptions: Promise<unknown>[] = [];
    const channels: NodeChannels = {
      wake: waker.wake,
      subscribe: (...subscription) => void subscriptions.push(listener.subscribe(...subscription)),
    };
    const app = await createApp({
      config: {
        port: 4700,
        masterKey: undefined,
        logLevel: undefined,
        requestsPerMinute: 1_000_000,
        requestsPerMinuteOfUser: 1_000_000,
        apiKeysPerUser: 100,
        securityAdvisories: undefined,
        trustProxy: undefined,
        tls: undefined,
        metricsToken: undefined,
        databaseUrl: undefined,
        dataFolder,
        artifactsFolder: join(folder, "artifacts"),
        artifacts: { ...keepEverything, ...artifacts },
        roles: ["api", "worker"],
        // Whatever is installed here; tests of the sandbox itself ask for another.
        sandbox: "none",
        supervisor: "inside",
        appDiskBytes: 20 * 2 ** 30,
        packageCacheBytes: 20 * 2 ** 30,
        appsHost: "127.0.0.1",
        orchestrators: ["process", "container"],
        // Whatever is installed here; tests of containers bring an engine of their own.
        containers: { engine: ["/nowhere/podman"], baseImages: {}, allowsOwn: true },
        approvalsAllowSelf: undefined,
        environmentSecrets: undefined,
        agents: { declared: undefined, file: "" },
        plugins: { declared: undefined, file: "" },
        jira: { declared: undefined, file: "" },
        secretProviders: { declared: undefined, file: "" },
        kubernetes: { declared: undefined, file: "" },
        ssh: { declared: undefined, file: "" },
        gitRemotes: { declared: undefined, file: "" },
        oauth: { declared: undefined, file: "" },
        federation: { declared: undefined, file: "" },
        publicUrl: "http://127.0.0.1:4700",
        host: "127.0.0.1",
        allowLocalWebhooks: true,
        webhookNetworks: [],
        ...config,
        ...(plugins && { plugins }),
        ...(gitRemotes && { gitRemotes }),
      },
      db,
      channels,
      keyring,
      clock,
      log,
      ...(engine && { engine: { scanner, loadMs: 500, ...engine } }),
      ...(webhooks && { webhooks }),
      ...(readerPollMs !== undefined && { readerPollMs }),
    });
    await Promise.all(subscriptions);
    if (engine !== undefined && !isIdle) await app.start();
    stops.push(async () => {
      await app.stop();
      await app.http.close();
      await waker.close();
      await listener.close();
      await close();
    });
    return { app, db, adminToken: (await readFile(tokenFile, "utf8")).trim() };
  };
  const { app, db, adminToken } = await startNode();

  const call: TestApp["call"] = ({ token = adminToken, ...options }) =>
    shown.http.inject({
      ...options,
      headers: { ...(token !== null && { authorization: `Bearer ${token}` }), ...options.headers },
    });
  return Object.assign(shown, {
    app,
    http: app.http,
    db,
    connection,
    clock,
    keyring,
    adminToken,
    dataFolder: folder,
    call,
    anotherNode: async (options) => (await startNode(options)).app,
    userToken: async (role) => {
      const name = `user-${randomBytes(6).toString("hex")}`;
      const user = (await call({ method: "POST", url: "/api/v1/users", payload: { name, role } })).json<{
        user_id: string;
      }>();
      const tokens = (await call({ method: "POST", url: `/api/v1/users/${user.user_id}/tokens` })).json<{
        token: string;
        refresh_token: string;
      }>();
      return { userId: user.user_id, token: tokens.token, refreshToken: tokens.refresh_token };
    },
    apiKey: async (scopes, token = adminToken) => {
      const answer = await call({
        method: "POST",
        url: "/api/v1/auth/api-keys",
        token,
        payload: { name: "test", scopes },
      });
      const { api_key_id, api_key } = answer.json<{ api_key_id: string; api_key: string }>();
      return { id: api_key_id, key: api_key };
    },
  } satisfies TestApp);
}

/** A document that is valid and small. */
export function smallDocument(id = "hello"): string {
  return `spec_version: "1.0.0"\nid: ${id}\nname: Hello\ndescription: Says hello.\noutcome_type: api\nstack: {}\nacceptance: {}\n`;
}

/** A document that no agent of ours can build: its project has failed soon, and nothing changes any more. */
export function unbuildableDocument(id = "hello"): string {
  return `${smallDocument(id)}requirements: { agents: { implementer: { capabilities: [alchemy] } } }\n`;
}

/** Sends a document and gives the new project's id. */
export async function createProject({ call }: Pick<TestApp, "call">, document = smallDocument(), token?: string) {
  const answer = await call({
    method: "POST",
    url: "/api/v1/projects",
    headers: { "content-type": "application/yaml" },
    payload: document,
    ...(token !== undefined && { token }),
  });
  return answer.json<{ project_id: string }>().project_id;
}
