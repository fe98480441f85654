import pg from "pg";
import { DatabaseRefusal } from "./database-refusal.ts";

/** Where the embedded database answers: `host` is the folder of its Unix socket. */
export interface SocketConnection {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
}

/** A database: the embedded one's socket, or the URL of a Postgres of the operator's own. */
export type DatabaseTarget = SocketConnection | string;

/** Long enough for a database on another continent, short enough that a missing one fails while somebody waits. */
const connectionTimeoutMillis = 2_000;

/** The settings with which every connection of ours is opened. */
export function clientConfig(target: DatabaseTarget, applicationName = "slipway"): pg.ClientConfig {
  const common = { application_name: applicationName, connectionTimeoutMillis, keepAlive: true };
  if (typeof target === "string") return { ...common, connectionString: checkedUrl(target) };
  // Without `ssl: false`, PGSSLMODE of the operator's shell would ask the Unix socket for TLS.
  return { ...common, ...target, ssl: false };
}

/** The URL is never repeated in a message: it holds the password. */
function checkedUrl(url: string): string {
  if (/^postgres(ql)?:\/\//.test(url) && canParse(url)) return url;
  throw new DatabaseRefusal(
    "bad_database_url",
    "SLIPWAY_DATABASE_URL is not the address of a Postgres database. Write postgres://user:password@host:5432/name, with special characters in the password percent-encoded.",
  );
}

/** What `pg` can read is more than a URL in the strict sense: `postgres://user@/name?host=/folder` is for a socket. */
function canParse(url: string): boolean {
  try {
    new pg.Client({ connectionString: url });
    return true;
  } catch {
    return false;
  }
}
