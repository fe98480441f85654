import { join } from "node:path";
import {
  CopySession,
  openDataFolder,
  requireSupportedPostgres,
  takeFolderLock,
} from "../../platform/database/index.ts";
import { createLog, type Log } from "../../platform/log/index.ts";
import type { Config } from "../config.ts";
import { type OpenDatabase, openDatabase } from "../open-database.ts";

/** A data folder with its database, while nobody else may start a service on it. */
export interface OpenedFolder {
  readonly log: Log;
  readonly database: OpenDatabase;
  openSession(): Promise<CopySession>;
}

/**
 * Opens the data folder and its database, calls `work` and closes them. If a service runs there, its database is used;
 * `isAlone` refuses that.
 */
export async function withOpenFolder<T>(
  config: Config,
  { isAlone }: { readonly isAlone: boolean },
  work: (opened: OpenedFolder) => Promise<T>,
): Promise<T> {
  // Only what goes wrong: the command has words of its own.
  const log = createLog(config.logLevel ?? "warn");
  await openDataFolder(config.dataFolder);
  const database = await openDatabase(config, log);
  const { embedded, connected, target } = database;
  const sessions: CopySession[] = [];
  const openSession = async () => {
    const session = await CopySession.open(target);
    sessions.push(session);
    return session;
  };
  const isOurs = embedded !== undefined && !embedded.wasAdopted;
  const locks = embedded !== undefined && (isAlone || isOurs);
  try {
    await requireSupportedPostgres(connected);
    const lock = locks
      ? await takeFolderLock({
          connection: embedded.connection,
          folder: config.dataFolder,
          log,
          onLost: () => undefined,
        })
      : undefined;
    try {
      return await work({ log, database, openSession });
    } finally {
      for (const session of sessions) await session.close();
      await connected.close();
      // Before the lock is released: a service that takes it would lose its database at once.
      if (isOurs) await embedded.stop();
      await lock?.release();
    }
  } finally {
    await connected.close();
    if (isOurs) await embedded.stop();
    else embedded?.leave();
  }
}

/** Where the files of what is deployed are. */
export function appsFolderOf({ dataFolder }: Pick<Config, "dataFolder">): string {
  return join(dataFolder, "apps");
}
