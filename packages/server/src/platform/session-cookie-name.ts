/** The start of the session cookie's name: nothing that is deployed may see or set such a cookie. */
export const sessionCookiePrefix = "slipway_session";

/** The name of the cookie of browsers that sign in with a provider. */
export function signInCookieName(host: string | undefined): string {
  return sessionCookieName(host).replace(sessionCookiePrefix, `${sessionCookiePrefix}_begun`);
}

/** The name of the session cookie. Browsers share cookies among the ports of a host: each service needs its own. */
export function sessionCookieName(host: string | undefined): string {
  const port = /:(\d+)$/.exec(host ?? "")?.[1];
  return port === undefined ? sessionCookiePrefix : `${sessionCookiePrefix}_${port}`;
}
