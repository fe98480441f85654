import { noAnswer } from "./prepared-client.ts";

/** Failures of sockets and name lookups: no database at the other end, or no network to it. */
const socketCodes = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ECONNABORTED",
  "ENOENT",
  "EPIPE",
  "ETIMEDOUT",
  "ENETUNREACH",
  "EHOSTUNREACH",
  "EHOSTDOWN",
  "ENOTFOUND",
  "EAI_AGAIN",
]);

/**
 * Postgres shuts down, has crashed, starts up, accepts no more connections or has no such database yet; or it is overloaded:
 * our own time limits, full disk or memory, conflicts with other transactions, a standby that accepts no writes.
 */
const serverCodes = new Set([
  ...["57P01", "57P02", "57P03", "53300", "3D000"],
  ...["57014", "25P03", "53100", "53200", "40001", "40P01", "25006"],
]);

/** Messages of `pg` and its pool that come without a code. */
const driverMessages = new Set([
  noAnswer,
  "timeout expired",
  "timeout exceeded when trying to connect",
  "Connection terminated",
  "Connection terminated unexpectedly",
  "Connection terminated due to connection timeout",
  "Client has encountered a connection error and is not queryable",
  "Client was closed and is not queryable",
  "Cannot use a pool after calling end on the pool",
]);

/** Whether an error means that the database is unavailable now, so that a retry may help. */
export function isDatabaseUnavailable(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  if (typeof code === "string" && isConnectionCode(code, error)) return true;
  if (driverMessages.has(error.message)) return true;
  // An operator closed the database to connections; the code alone means only "not in the right state".
  if (code === "55000" && error.message.includes("not currently accepting connections")) return true;
  // A host with several addresses fails with one error for each address.
  if (error instanceof AggregateError && error.errors.some(isDatabaseUnavailable)) return true;
  // Errors with a name of their own tell of somebody else: a call that failed, a store or a provider that cannot be reached.
  return error.name === "Error" && error.cause !== undefined && isDatabaseUnavailable(error.cause);
}

function isConnectionCode(code: string, error: Error): boolean {
  // A missing file is ENOENT too; only one from a connection concerns the database.
  if (code === "ENOENT") return "syscall" in error && error.syscall === "connect";
  // 08 is the class of connection exceptions; an error of the server carries a severity.
  return socketCodes.has(code) || serverCodes.has(code) || (/^08[0-9A-Z]{3}$/.test(code) && "severity" in error);
}
