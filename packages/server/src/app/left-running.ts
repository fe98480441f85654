import { keptAlive, noteStopped, readHostId } from "../deployment/index.ts";
import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/database/index.ts";
import type { Config } from "./config.ts";

interface Deps {
  readonly config: Pick<Config, "dataFolder">;
  readonly db: Database;
  readonly clock: Clock;
}

/**
 * Looks at what runs of this data folder's deployments while no service looks after them: whether any goes on. What does
 * not is noted as stopped; a service that was killed, or a power cut, has left it as live.
 */
export async function findLeftRunning({ config, db, clock }: Deps): Promise<boolean> {
  const kept = await keptAlive(config.dataFolder);
  if (kept === "unknown") return true;
  const now = clock.now();
  await noteStopped(db, await readHostId(config.dataFolder, now.getTime()), { keptAlive: kept, now });
  return kept.size > 0;
}
