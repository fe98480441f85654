import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import pg from "pg";
import { startEmbeddedPostgres } from "../../packages/server/src/platform/database/index.ts";
import { createLog } from "../../packages/server/src/platform/log/log.ts";
import { copyModel } from "../models/copy-model.ts";
import type { Place } from "./work.ts";

const run = promisify(execFile);
const peersFolder = fileURLToPath(new URL("peers", import.meta.url));

/** Where the contestants work: a Postgres for all of them, and the servers that some bring along. */
export interface Servers {
  /** With an empty database, Redis and Restate for each who asks. */
  newPlace(): Promise<Place>;
  /** Why a server is missing. */
  readonly missing: { readonly redis?: string; readonly restate?: string };
  stop(): Promise<void>;
}

/** Installs what the engine is measured against; it is no part of the repository's own install. */
export async function installPeers(): Promise<void> {
  const wanted = ["@dbos-inc/dbos-sdk", "@restatedev/restate-sdk", "bullmq", "graphile-worker", "pg-boss"];
  if (wanted.every((name) => existsSync(join(peersFolder, "node_modules", name)))) return;
  console.log("Installing the peers into benchmarks/engine/peers …");
  await run("npm", ["install", "--no-package-lock", "--no-fund", "--no-audit", "--prefix", peersFolder]);
}

export async function startServers({ hasPeers }: { hasPeers: boolean }): Promise<Servers> {
  const folder = mkdtempSync(join(tmpdir(), "slipway-bench-"));
  // Run by root, the database's user must pass through.
  chmodSync(folder, 0o711);
  const data = join(folder, "data");
  copyModel("database", data);
  const postgres = await startEmbeddedPostgres({ folder: data, log: createLog("warn") });
  const admin = new pg.Client({ ...postgres.connection });
  await admin.connect();
  const redis = hasPeers ? await startRedis(folder) : { missing: "not asked for" };
  const restate = hasPeers ? await startRestate(folder) : { missing: "not asked for" };
  let databases = 0;
  return {
    missing: {
      ...(redis instanceof Started ? {} : { redis: redis.missing }),
      ...(restate instanceof Started ? {} : { restate: restate.missing }),
    },
    newPlace: async () => {
      databases += 1;
      const database = `bench_${databases}`;
      if (databases > 1) await admin.query(`drop database if exists bench_${databases - 1} with (force)`);
      await admin.query(`create database ${database}`);
      // Nobody pays for what those before have written.
      await admin.query("checkpoint");
      if (redis instanceof Started) await run("redis-cli", ["-s", redis.at.socket, "flushall"]);
      return {
        postgres: { ...postgres.connection, database },
        redis: redis instanceof Started ? redis.at : undefined,
        restate: restate instanceof Started ? restate.at : undefined,
      };
    },
    stop: async () => {
      await admin.end();
      for (const one of [redis, restate]) if (one instanceof Started) await one.stop();
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

class Started<At> {
  readonly at: At;
  readonly #child: ChildProcess;

  constructor(child: ChildProcess, at: At) {
    this.#child = child;
    this.at = at;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGTERM");
    await ended;
  }
}

/** As durable as Postgres: each write is on the disk before it is answered. */
async function startRedis(folder: string): Promise<Started<{ socket: string }> | { missing: string }> {
  const socket = join(folder, "redis.sock");
  const options = {
    port: "0",
    unixsocket: socket,
    dir: folder,
    save: "",
    appendonly: "yes",
    appendfsync: "always",
    "auto-aof-rewrite-percentage": "0",
  };
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  const child = spawn("redis-server", args, { stdio: "ignore" });
  const failure = await started(child, () => existsSync(socket));
  return failure === undefined ? new Started(child, { socket }) : { missing: `redis-server (apt): ${failure}` };
}

/** With its own defaults, but on ports that are free. */
async function startRestate(
  folder: string,
): Promise<Started<{ ingress: string; admin: string }> | { missing: string }> {
  const program = join(
    peersFolder,
    `node_modules/@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`,
  );
  const [ingress, admin, node] = await Promise.all([freePort(), freePort(), freePort()]);
  const child = spawn(program, ["--no-logo", "--base-dir", join(folder, "restate"), "--bind-port", String(node)], {
    stdio: "ignore",
    env: {
      ...process.env,
      RESTATE_BIND_IP: "127.0.0.1",
      RESTATE_LISTEN_MODE: "tcp",
      RESTATE_INGRESS__BIND_PORT: String(ingress),
      RESTATE_ADMIN__BIND_PORT: String(admin),
      RESTATE_LOG_FILTER: "error",
      RESTATE_DISABLE_TELEMETRY: "true",
    },
  });
  const isReady = () =>
    fetch(`http://127.0.0.1:${ingress}/restate/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  const failure = await started(child, isReady);
  if (failure !== undefined) return { missing: `restate-server (npm): ${failure}` };
  return new Started(child, { ingress: `http://127.0.0.1:${ingress}`, admin: `http://127.0.0.1:${admin}` });
}

/** Why it did not start; nothing when it did. */
async function started(child: ChildProcess, isReady: () => boolean | Promise<boolean>): Promise<string | undefined> {
  let failure: string | undefined;
  child.on("error", ({ message }) => (failure = message));
  child.on("exit", (code) => (failure ??= `it ended with ${code}`));
  for (const endMs = performance.now() + 30_000; performance.now() < endMs; await delay(50)) {
    if (failure !== undefined) return failure;
    if (await isReady()) return undefined;
  }
  child.kill("SIGKILL");
  return "it was not ready within 30 s";
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
