import { connectDatabase, requireSupportedPostgres, type Schema, tryBinaries } from "../../platform/database/index.ts";
import { messageOf } from "../../platform/errors/index.ts";
import { createLog } from "../../platform/log/index.ts";
import type { Config } from "../config.ts";
import { type Finding, failed, ok } from "./finding.ts";

/** Checks that the operator's database answers, or that the embedded one could start. */
export async function checkDatabase({ databaseUrl }: Pick<Config, "databaseUrl">): Promise<Finding> {
  if (databaseUrl === undefined) {
    return tryBinaries().then(
      (version) => ok("database", `embedded: ${version}`),
      // The error says what to do, too.
      (error: unknown) => failed("database", messageOf(error)),
    );
  }
  const connected = connectDatabase<Schema>(databaseUrl, { log: createLog("silent"), maxConnections: 1 });
  try {
    await requireSupportedPostgres(connected);
    return ok("database", "the Postgres of database_url answers");
  } catch (error) {
    const why = `the Postgres of database_url cannot be used: ${messageOf(error) || (error as NodeJS.ErrnoException).code}`;
    return failed("database", why, "Check the address, and that it runs.");
  } finally {
    await connected.close();
  }
}
