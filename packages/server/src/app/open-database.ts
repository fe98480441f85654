import { fileURLToPath } from "node:url";
import { BlobError } from "../platform/blobs/index.ts";
import {
  type ConnectedDatabase,
  connectDatabase,
  DatabaseRefusal,
  type DatabaseTarget,
  type EmbeddedPostgres,
  isDatabaseUnavailable,
  type Migration,
  migrate,
  readMigrations,
  requireSupportedPostgres,
  type Schema,
  startEmbeddedPostgres,
} from "../platform/database/index.ts";
import type { Log } from "../platform/log/index.ts";
import type { Config } from "./config.ts";

const migrations = fileURLToPath(new URL("../platform/database/migrations", import.meta.url));

export interface OpenDatabase {
  readonly target: DatabaseTarget;
  readonly connected: ConnectedDatabase<Schema>;
  /** Undefined where the operator brings a database. */
  readonly embedded: EmbeddedPostgres | undefined;
}

/** Connects to the operator's database, or starts the embedded one. */
export async function openDatabase(config: Config, log: Log): Promise<OpenDatabase> {
  const embedded =
    config.databaseUrl === undefined ? await startEmbeddedPostgres({ folder: config.dataFolder, log }) : undefined;
  const target = embedded?.connection ?? config.databaseUrl ?? "";
  return { target, connected: connectDatabase<Schema>(target, { log }), embedded };
}

/** The migrations of this version. */
export function readOwnMigrations(): Promise<Migration[]> {
  return readMigrations(migrations);
}

/** Brings the schema to the version that the code expects. */
export async function prepareTables({ connected, embedded }: OpenDatabase, log: Log): Promise<void> {
  await requireSupportedPostgres(connected).catch((error: unknown) => {
    throw embedded === undefined ? explainNoAnswer(error) : error;
  });
  await migrate({ pool: connected.pool, log }, migrations);
}

/** Explains a start whose database answered at first, and then did not. */
export function explainLoss(error: unknown): unknown {
  // What a store of artifacts in a bucket fails of looks the same.
  if (error instanceof DatabaseRefusal || error instanceof BlobError || !isDatabaseUnavailable(error)) return error;
  const message = `The database went away while the service was starting: ${reasonOf(error)}. Start the service again when it answers.`;
  return new DatabaseRefusal("database_unreachable", message, { cause: error });
}

/** Explains why the first statement failed, without the address: it holds the password. */
function explainNoAnswer(error: unknown): unknown {
  if (error instanceof DatabaseRefusal || !(error instanceof Error)) return error;
  const message = `The database at SLIPWAY_DATABASE_URL does not let us in: ${reasonOf(error)}. Check the address, and that it runs.`;
  return new DatabaseRefusal("database_unreachable", message, { cause: error });
}

function reasonOf(error: Error): string | undefined {
  return error.message || (error as NodeJS.ErrnoException).code;
}
