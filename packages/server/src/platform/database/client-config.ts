import pg from "pg";
import { DatabaseRefusal } from "./database-refusal.ts";

/** How to reach the embedded database: `host` is the folder of its Unix socket. */
export interface SocketConnection {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
}

/** The socket of the embedded database, or the URL of the operator's own Postgres. */
export type DatabaseTarget = SocketConnection | string;

/** Long enough for a database on another continent, short enough that a caller gets the failure. */
const connectionTimeoutMillis = 2_000;

/** The settings of every connection. */
export function clientConfig(target: DatabaseTarget, applicationName = "slipway"): pg.ClientConfig {
  const common = { application_name: applicationName, connectionTimeoutMillis, keepAlive: true };
  if (typeof target === "string") return { ...common, connectionString: checkedUrl(target) };
  // Without `ssl: false`, PGSSLMODE of the operator's shell would ask the Unix socket for TLS.
  return { ...common, ...target, ssl: false };
}

/** No message may repeat the URL: it contains the password. */
function checkedUrl(url: string): string {
  if (/^postgres(ql)?:\/\//.test(url) && canParse(url)) return url;
  throw new DatabaseRefusal(
    "bad_database_url",
    "SLIPWAY_DATABASE_URL is not the address of a Postgres database. Write postgres://user:password@host:5432/name, with special characters in the password percent-encoded.",
  );
}

/** Asks `pg`, which accepts more than strict URLs: `postgres://user@/name?host=/folder` names a socket. */
function canParse(url: string): boolean {
  try {
    new pg.Client({ connectionString: url });
    return true;
  } catch {
    return false;
  }
}
