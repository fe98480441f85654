import { join } from "node:path";
import { requireMasterKeys, revocationsChannel, rotateAdminToken } from "../../features/auth/index.ts";
import { systemClock } from "../../platform/clock.ts";
import { openDataFolder, Waker } from "../../platform/database/index.ts";
import { createLog } from "../../platform/log/index.ts";
import { loadKeyring } from "../../platform/secrets/index.ts";
import type { Config } from "../config.ts";
import { openDatabase, prepareTables } from "../open-database.ts";
import { requireWholeFolder } from "../restore-mark.ts";

/** `slipway admin-token rotate`, with or without a running service. */
export async function rotate(config: Config, { isJson }: { isJson: boolean }): Promise<void> {
  const file = join(config.dataFolder, "admin-token");
  const { userId, token } = await giveNewToken(config, file);
  // The shape of the API's issued tokens; this one neither expires nor can be refreshed.
  const issued = { user_id: userId, token, expires_at: null, refresh_token: null, refresh_expires_at: null, file };
  process.stdout.write(isJson ? `${JSON.stringify(issued, null, 2)}\n` : `The new token is in ${file}\n`);
}

async function giveNewToken(config: Config, file: string): ReturnType<typeof rotateAdminToken> {
  const log = createLog(config.logLevel);
  await openDataFolder(config.dataFolder);
  await requireWholeFolder(config.dataFolder);
  const database = await openDatabase(config, log);
  const { db, pool } = database.connected;
  try {
    await prepareTables(database, log);
    const keyring = await loadKeyring({ variable: config.masterKey, file: join(config.dataFolder, "master-key") });
    await requireMasterKeys(db, keyring);
    const given = await rotateAdminToken({ db, clock: systemClock, keyring, file });
    const waker = new Waker({ query: (text, values) => pool.query(text, values), log });
    waker.wake(revocationsChannel, "");
    await waker.close();
    return given;
  } finally {
    await database.connected.close();
    // An adopted database belongs to a running service.
    if (database.embedded?.wasAdopted) database.embedded.leave();
    else await database.embedded?.stop();
  }
}
