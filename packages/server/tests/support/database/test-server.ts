import { existsSync } from "node:fs";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { type SocketConnection, startEmbeddedPostgres } from "../../../src/platform/database/index.ts";
import { processExists } from "../../../src/platform/process/index.ts";
import { fastFolder } from "./fast-folder.ts";
import { quietLog } from "./quiet-log.ts";

/** Nothing in a test survives the machine. */
const settings = {
  fsync: "off",
  full_page_writes: "off",
  synchronous_commit: "off",
  max_connections: "300",
  max_wal_size: "1GB",
  // A hundred databases would keep it busy, and none lives long enough to need it.
  autovacuum: "off",
};

/** A folder for this run, and what removes it with the server in it. Those of runs that were killed go now. */
export async function prepareRunFolder(): Promise<{ folder: string; remove: () => Promise<void> }> {
  const base = fastFolder();
  for (const name of await readdir(base)) {
    const pid = /^slipway-tests-(\d+)$/.exec(name)?.[1];
    if (pid !== undefined && !processExists(Number(pid))) await removeRunFolder(join(base, name));
  }
  const folder = join(base, `slipway-tests-${process.pid}`);
  // Other users copy what is in it.
  await mkdir(folder, { recursive: true, mode: 0o755 });
  return { folder, remove: () => removeRunFolder(folder) };
}

/** Starts the run's server, or adopts the one that another worker started. */
export async function startTestServer(runFolder: string): Promise<SocketConnection> {
  const server = await startEmbeddedPostgres({ folder: serverFolder(runFolder), log: quietLog, settings });
  // It outlives this worker; the global setup stops it.
  server.leave();
  return server.connection;
}

async function removeRunFolder(runFolder: string): Promise<void> {
  const folder = serverFolder(runFolder);
  if (existsSync(join(folder, "postgres", "data", "postmaster.pid"))) {
    const server = await startEmbeddedPostgres({ folder, log: quietLog, settings });
    await server.stop();
  }
  await rm(runFolder, { recursive: true, force: true });
}

function serverFolder(runFolder: string): string {
  return join(runFolder, "server");
}
