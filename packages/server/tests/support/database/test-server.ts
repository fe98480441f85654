import { existsSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { startEmbeddedPostgres } from "../../../src/platform/database/index.ts";
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
};

/** A folder for this run's server, and what removes both again. Servers of runs that were killed go now. */
export async function prepareTestServer(): Promise<{ folder: string; remove: () => Promise<void> }> {
  const base = fastFolder();
  for (const name of await readdir(base)) {
    const pid = /^slipway-tests-(\d+)$/.exec(name)?.[1];
    if (pid !== undefined && !processExists(Number(pid))) await removeServer(join(base, name));
  }
  const folder = join(base, `slipway-tests-${process.pid}`);
  return { folder, remove: () => removeServer(folder) };
}

/** Starts the run's server, or adopts the one that another test started. */
export async function startTestServer(folder: string) {
  const server = await startEmbeddedPostgres({ folder, log: quietLog, settings });
  // It outlives this test file; the global setup stops it.
  server.leave();
  return server.connection;
}

async function removeServer(folder: string): Promise<void> {
  if (existsSync(join(folder, "postgres", "data", "postmaster.pid"))) {
    const server = await startEmbeddedPostgres({ folder, log: quietLog, settings });
    await server.stop();
  }
  await rm(folder, { recursive: true, force: true });
}
