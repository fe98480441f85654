import { type Endpoint, type ResponseHeader, responseHeaders, type Success } from "@slipway/contract";

type Json = Record<string, unknown>;

/** What an answer that went well has in its head, or 304 instead of it. */
export function headersOfSuccess(endpoint: Endpoint, success: Success): Json {
  const { method, access, isVersioned } = endpoint;
  const { headers = [], optionalHeaders = [], schema } = success;
  return describe(
    [
      "X-Request-Id",
      ...(access.kind === "open" || access.kind === "metrics" ? [] : limited),
      ...(isVersioned ? (["ETag"] as const) : []),
      ...headers,
    ],
    [
      // Not for who comes with the operator's metrics token.
      ...(access.kind === "metrics" ? limited : []),
      ...(schema !== undefined && isPage(schema) ? (["Link"] as const) : []),
      ...(method === "POST" ? (["Idempotency-Replayed"] as const) : []),
      ...optionalHeaders,
    ],
  );
}

/** What a refusal with this status has in its head. */
export function headersOfRefusal({ method, access }: Endpoint, status: number): Json {
  return describe(
    ["X-Request-Id", ...(always[status] ?? [])],
    [
      ...(access.kind === "open" || isBeforeLimit(status) ? [] : limited),
      ...(status === 403 ? (["WWW-Authenticate"] as const) : []),
      // A request that is still under way; other conflicts do not pass by themselves.
      ...(status === 409 && method === "POST" ? (["Retry-After"] as const) : []),
      ...(status === 415 ? (["Accept"] as const) : []),
    ],
  );
}

const limited: readonly ResponseHeader[] = ["RateLimit", "RateLimit-Policy"];

const always: Readonly<Record<number, readonly ResponseHeader[]>> = {
  401: ["WWW-Authenticate"],
  405: ["Allow"],
  429: ["Retry-After"],
  503: ["Retry-After"],
};

/** Refused before anybody knows who asks, so nothing was counted. */
function isBeforeLimit(status: number): boolean {
  return [401, 405, 408, 431].includes(status);
}

function isPage(schema: unknown): boolean {
  return "next_cursor" in ((schema as { properties?: object }).properties ?? {});
}

function describe(required: readonly ResponseHeader[], optional: readonly ResponseHeader[]): Json {
  const described = (names: readonly ResponseHeader[], isRequired: boolean) =>
    names.map((name) => [name, { ...responseHeaders[name], required: isRequired }]);
  return Object.fromEntries([...described(required, true), ...described(optional, false)]);
}
