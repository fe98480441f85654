import type { EndpointName } from "@slipway/contract";
import type { AnyCallOptions } from "./call-types.ts";
import { type RequestInfo, UnsendableError } from "./errors.ts";
import { routes } from "./routes.ts";

export interface Route {
  readonly method: string;
  readonly path: string;
  /** The media types that a call prefers. */
  readonly accept: string;
  /** A call may answer 204, without a body. */
  readonly mayBeEmpty: boolean;
  /** The members of which an answer in JSON has one; those that end with `[]` are lists. */
  readonly members: readonly string[];
}

/** A call that can be sent. */
export interface Prepared {
  readonly request: RequestInfo;
  readonly route: Route;
  readonly init: RequestInit & { readonly headers: Readonly<Record<string, string>> };
}

/** How an endpoint is called. */
export function routeOf(name: EndpointName): Route {
  const [method = "", path = "", ...answers] = routes[name].split(" ");
  const types = answers.filter((answer) => answer.includes("/"));
  return {
    method,
    path,
    accept: [...(types.length > 0 ? types : ["application/json"]), "application/problem+json"].join(", "),
    mayBeEmpty: answers.includes("204"),
    members: answers.filter((answer) => /^[a-z]/.test(answer) && !answer.includes("/")),
  };
}

/** The URL of a call, with encoded parameters and query. */
export function urlOf(base: string, { path }: Route, { params = {}, query = {} }: AnyCallOptions): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => segment(name, params[name]));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  return `${base.replace(/(?<!\/)\/+$/, "")}${filled}${search.size > 0 ? `?${search}` : ""}`;
}

/** Refuses dots, which change the path even when encoded, and an empty value, which names the list. */
function segment(name: string, value: string | undefined): string {
  if (value === undefined || /^\.{0,2}$/.test(value))
    throw new UnsendableError(`'${value ?? ""}' is not a valid ${name}.`);
  return encodeURIComponent(value);
}

/** The headers and the body of a call. */
export function initOf(
  { method, accept }: Route,
  options: AnyCallOptions,
  token: string | undefined,
): Prepared["init"] {
  // No `Headers`, for which Node would load all that is behind its `fetch`, used or not.
  const headers: Record<string, string> = {
    accept,
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    // The same on every attempt of this call, so that a retry does nothing twice.
    ...(method === "POST" && { "idempotency-key": newKey() }),
  };
  let body: RequestInit["body"] = null;
  if (options.document !== undefined) {
    headers["content-type"] = "application/yaml";
    body = options.document;
  } else if (options.bytes !== undefined) {
    headers["content-type"] = "application/octet-stream";
    body = options.bytes;
  } else if (options.body !== undefined) {
    headers["content-type"] = "application/json";
    body = JSON.stringify(options.body);
  }
  for (const [name, value] of Object.entries(options.headers ?? {})) headers[name.toLowerCase()] = value;
  return { method, headers, body, ...(options.signal && { signal: options.signal }) };
}

/** Not `randomUUID`: browsers lack it on pages loaded over plain http. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
