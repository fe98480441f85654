import { readHostId, selectDeploymentsOf } from "../deployment/index.ts";
import type { Clock } from "../platform/clock.ts";
import { count } from "../platform/count.ts";
import type { Database } from "../platform/database/index.ts";
import type { Config } from "./config.ts";

interface Deps {
  readonly config: Pick<Config, "supervisor" | "roles" | "dataFolder">;
  readonly db: Database;
  readonly clock: Clock;
}

/** Tells whoever stops the service what goes on without it; nothing, if nothing does. */
export async function tellDeployed({ config, db, clock }: Deps): Promise<void> {
  if (config.supervisor === "inside" || !config.roles.includes("worker")) return;
  const all = await selectDeploymentsOf(db, await readHostId(config.dataFolder, clock.now().getTime()));
  const running = all.filter(
    ({ wanted, health, port }) => wanted === "running" && health !== "stopped" && port !== null,
  ).length;
  if (running === 0) return;
  const what = count(running, "application keeps", "applications keep");
  process.stdout.write(
    `${what} running without the service: 'slipway apps list' lists them, 'slipway apps stop' ends one.\n`,
  );
}
