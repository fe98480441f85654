import { sessionHeader } from "@slipway/contract";
import type { FastifyRequest } from "fastify";
import { Refusal } from "../errors/index.ts";
import { sessionCookieName, signInCookieName } from "../session-cookie-name.ts";

/** The token in a browser's session cookie; undefined if there is none. Refuses what other sites make a browser send. */
export function sessionToken(request: FastifyRequest): string | undefined {
  const token = readCookie(request, sessionCookieName(request.headers.host));
  if (token === undefined) return undefined;
  requireOwnPage(request);
  return token;
}

/**
 * Refuses requests that a browser did not send for a page of the service. `SameSite` is not enough: what is deployed on
 * another port of the same host is of the same site.
 */
export function requireOwnPage(request: FastifyRequest): void {
  const { headers, method } = request;
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none") throw foreign("comes from another site");
  if (method === "GET" || method === "HEAD") return;
  const origin = URL.parse(String(headers.origin));
  // Some clients name the usual port, where browsers leave it out.
  const own = origin && URL.parse(`${origin.protocol}//${headers.host}`);
  if (origin === null || origin.host !== own?.host) throw foreign("has no Origin of this service");
  if (headers[sessionHeader] === undefined) throw foreign(`lacks the header '${sessionHeader}'`);
}

/** Gives a browser its session, until it is closed or for a time. */
export function sessionCookie(request: FastifyRequest, token: string, maxAgeMs?: number): string {
  return cookieOf(request, sessionCookieName(request.headers.host), token, maxAgeMs);
}

const signInMs = 10 * 60_000;

/** Marks a browser that signs in with a provider, so that what it began is finished in no other. */
export function signInCookie(request: FastifyRequest, token: string): string {
  return cookieOf(request, signInCookieName(request.headers.host), token, signInMs);
}

/** That mark; undefined if the browser has none. */
export function signInToken(request: FastifyRequest): string | undefined {
  return readCookie(request, signInCookieName(request.headers.host));
}

function cookieOf(request: FastifyRequest, name: string, value: string, maxAgeMs?: number): string {
  const age = maxAgeMs === undefined ? "" : `; Max-Age=${Math.floor(maxAgeMs / 1000)}`;
  // Behind a proxy whose headers nobody trusts, the page still says what the browser sees.
  const isSecure = request.protocol === "https" || request.headers.origin?.startsWith("https://") === true;
  const secure = isSecure ? "; Secure" : "";
  return `${name}=${value}; Path=/; HttpOnly; SameSite=Strict${secure}${age}`;
}

/**
 * The last of that name: browsers send cookies with longer paths first, and a script on another port of the host can set
 * such a one, but none in the place of ours.
 */
function readCookie({ headers }: FastifyRequest, name: string): string | undefined {
  const start = `${name}=`;
  const pairs = headers.cookie?.split(";").map((pair) => pair.trim()) ?? [];
  const value = pairs.findLast((pair) => pair.startsWith(start))?.slice(start.length) ?? "";
  return /^\w{1,500}$/.test(value) ? value : undefined;
}

function foreign(what: string): Refusal {
  return new Refusal("forbidden", `The request ${what}: a session cookie works only for the service's own pages.`);
}
