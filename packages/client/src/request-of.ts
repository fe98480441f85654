import type { Endpoint } from "@slipway/contract";
import type { AnyCallOptions } from "./call-types.ts";
import { UnsendableError } from "./errors.ts";

/** The URL of a call, with encoded parameters and query. */
export function urlOf(base: string, { path }: Endpoint, { params = {}, query = {} }: AnyCallOptions): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => segment(name, params[name]));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  return `${base.replace(/\/+$/, "")}${filled}${search.size > 0 ? `?${search}` : ""}`;
}

/** Refuses dots, which change the path even when encoded, and an empty value, which names the list. */
function segment(name: string, value: string | undefined): string {
  if (value === undefined || /^\.{0,2}$/.test(value))
    throw new UnsendableError(`'${value ?? ""}' is not a valid ${name}.`);
  return encodeURIComponent(value);
}

/** The headers and the body of a call. */
export function initOf(endpoint: Endpoint, options: AnyCallOptions, token: string | undefined): RequestInit {
  const headers = new Headers({
    accept: acceptOf(endpoint),
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    // The same on every attempt of this call, so that a retry does nothing twice.
    ...(endpoint.method === "POST" && { "idempotency-key": newKey() }),
  });
  let body: RequestInit["body"] = null;
  if (endpoint.takesDocument === true && options.document !== undefined) {
    headers.set("content-type", "application/yaml");
    body = options.document;
  } else if (options.bytes !== undefined) {
    headers.set("content-type", "application/octet-stream");
    body = options.bytes;
  } else if (options.body !== undefined) {
    headers.set("content-type", "application/json");
    body = JSON.stringify(options.body);
  }
  for (const [name, value] of Object.entries(options.headers ?? {})) headers.set(name, value);
  return { method: endpoint.method, headers, body, ...(options.signal && { signal: options.signal }) };
}

/** Prefers JSON where the endpoint has it, because `call` returns that. */
function acceptOf({ success }: Endpoint): string {
  const types = success.flatMap(({ schema, mediaTypes = [] }) => (schema ? ["application/json"] : mediaTypes));
  return [...new Set([...types, "application/problem+json"])].join(", ");
}

/** Not `randomUUID`: browsers lack it on pages loaded over plain http. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
