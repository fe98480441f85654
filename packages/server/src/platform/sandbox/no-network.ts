import type { CommandEnd } from "./run-command.ts";

/** What programs say where nobody listens, no way leads, or a name cannot be looked up. */
const unreached =
  /ECONNREFUSED|ENETUNREACH|EHOSTUNREACH|EAI_AGAIN|ENOTFOUND|getaddrinfo|connection refused|network is unreachable|name resolution|name or service not known|could not resolve host|fetch failed/i;

/**
 * That a program which reached nobody has no network, for it looks like a fault of what it wanted to reach; empty if it has one,
 * or complains of something else.
 */
export function whyUnreached(who: string, { isOffline }: Pick<CommandEnd, "isOffline">, said: string): string {
  if (!isOffline || !unreached.test(said)) return "";
  return `${who} has no network, and no setting gives it one: it reaches only what it starts itself.`;
}
