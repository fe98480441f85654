import type { Installation } from "@slipway/contract";
import { countAllJobs, selectNodes } from "../../engine/jobs/index.ts";
import type { Database } from "../../platform/database/index.ts";
import { measureDisk } from "../../platform/disk-space.ts";
import { readDatabase } from "./store.ts";

export interface InstallationDeps {
  readonly db: Database;
  readonly version: string;
  readonly folders: readonly { readonly use: "data" | "artifacts"; readonly path: string }[];
}

/** How the installation is: nodes, queue, database, and the disks of the node that answers. */
export async function readInstallation({ db, version, folders }: InstallationDeps): Promise<Installation> {
  const [nodes, queue, database, disks] = await Promise.all([
    selectNodes(db),
    countAllJobs(db),
    readDatabase(db),
    Promise.all(
      folders.map(async ({ use, path }) => {
        const { freeBytes, totalBytes } = await measureDisk(path);
        return { use, path, free_bytes: freeBytes, total_bytes: totalBytes };
      }),
    ),
  ]);
  return {
    version,
    node_version: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    started_at: new Date(performance.timeOrigin).toISOString(),
    nodes: nodes.map(({ name, leaseExpiresAt, jobs }) => ({
      name,
      lease_expires_at: leaseExpiresAt.toISOString(),
      jobs,
    })),
    queue,
    database,
    disks,
  };
}
