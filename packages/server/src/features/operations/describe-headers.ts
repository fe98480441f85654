import { type Endpoint, type ResponseHeader, responseHeaders, type Success } from "@slipway/contract";

type Json = Record<string, unknown>;

/** Headers of a successful answer, or of the 304 in its place. */
export function headersOfSuccess(endpoint: Endpoint, success: Success): Json {
  const { method, access, isVersioned } = endpoint;
  const { headers = [], optionalHeaders = [], schema } = success;
  return describe(
    [
      "X-Request-Id",
      ...(access.kind === "open" || access.kind === "metrics" ? [] : rateLimitHeaders),
      ...(isVersioned ? (["ETag"] as const) : []),
      ...headers,
    ],
    [
      // Missing for the operator's metrics token, which has no rate limit.
      ...(access.kind === "metrics" ? rateLimitHeaders : []),
      ...(schema !== undefined && isPage(schema) ? (["Link"] as const) : []),
      ...(method === "POST" ? (["Idempotency-Replayed"] as const) : []),
      ...optionalHeaders,
    ],
  );
}

/** Headers of a refusal with this status. */
export function headersOfRefusal({ method, access }: Endpoint, status: number): Json {
  return describe(
    ["X-Request-Id", ...(requiredByStatus[status] ?? [])],
    [
      ...(access.kind === "open" || precedesRateLimit(status) ? [] : rateLimitHeaders),
      ...(status === 403 ? (["WWW-Authenticate"] as const) : []),
      // For a request that is still in flight; other conflicts do not end by themselves.
      ...(status === 409 && method === "POST" ? (["Retry-After"] as const) : []),
      ...(status === 415 ? (["Accept"] as const) : []),
    ],
  );
}

const rateLimitHeaders: readonly ResponseHeader[] = ["RateLimit", "RateLimit-Policy"];

const requiredByStatus: Readonly<Record<number, readonly ResponseHeader[]>> = {
  401: ["WWW-Authenticate"],
  405: ["Allow"],
  429: ["Retry-After"],
  503: ["Retry-After"],
};

/** Whether the refusal precedes authentication, and with it the rate limit. */
function precedesRateLimit(status: number): boolean {
  return [401, 405, 408, 431].includes(status);
}

function isPage(schema: unknown): boolean {
  return "next_cursor" in ((schema as { properties?: object }).properties ?? {});
}

function describe(required: readonly ResponseHeader[], optional: readonly ResponseHeader[]): Json {
  return Object.fromEntries([
    ...required.map((name) => [name, { $ref: `#/components/headers/${name}` }]),
    ...optional.map((name) => [name, { $ref: `#/components/headers/${optionalName(name)}` }]),
  ]);
}

/** The headers that responses refer to, described once: always sent, or under a name of its own sent at times. */
export function headerComponents(): Json {
  const entries = Object.entries(responseHeaders) as [ResponseHeader, object][];
  return Object.fromEntries(
    entries.flatMap(([name, described]) => [
      [name, { ...described, required: true }],
      [optionalName(name), { ...described, required: false }],
    ]),
  );
}

function optionalName(name: ResponseHeader): string {
  return `Optional-${name}`;
}
