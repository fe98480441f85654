import { join } from "node:path";
import { loadKeyring, requireMasterKeys, revocationsChannel, rotateAdminToken } from "./auth/index.ts";
import { systemClock } from "./clock.ts";
import type { Config } from "./config.ts";
import { openDataFolder, Waker } from "./database/index.ts";
import { createLog } from "./log.ts";
import { openDatabase, prepareTables } from "./open-database.ts";

/** `slipway admin-token rotate`: beside a running service, or without one. */
export async function rotate(config: Config): Promise<void> {
  const log = createLog(config.logLevel);
  const file = join(config.dataFolder, "admin-token");
  await openDataFolder(config.dataFolder);
  const database = await openDatabase(config, log);
  const { db, pool } = database.connected;
  try {
    await prepareTables(database, log);
    const keyring = await loadKeyring({ variable: config.masterKey, file: join(config.dataFolder, "master-key") });
    await requireMasterKeys(db, keyring);
    await rotateAdminToken({ db, clock: systemClock, keyring, file });
    const waker = new Waker({ query: (text, values) => pool.query(text, values), log });
    waker.wake(revocationsChannel, "");
    await waker.close();
  } finally {
    await database.connected.close();
    // One that was there before us belongs to a running service.
    if (database.embedded?.wasAdopted) database.embedded.leave();
    else await database.embedded?.stop();
  }
  process.stdout.write(`The new token is in ${file}\n`);
}
