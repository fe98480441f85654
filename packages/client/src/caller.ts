import type { EndpointName, Problem } from "@slipway/contract";
import type { Answer, AnyCallOptions, Arguments } from "./call-types.ts";
import { ConnectionError, type RequestInfo, SlipwayError } from "./errors.ts";
import { pause } from "./pause.ts";
import { initOf, routeOf, urlOf } from "./request-of.ts";
import { retryDelayMs } from "./retry-delay.ts";

export interface ClientOptions {
  /** The service's address, such as `http://127.0.0.1:4700`. */
  readonly url: string;
  /** Absent for a browser session, or for endpoints that need no token. */
  readonly token?: string | undefined;
  readonly fetch?: typeof fetch;
  /** How often a failed call is retried, if that is safe. */
  readonly retries?: number;
  /** The time limit of each attempt. */
  readonly timeoutMs?: number;
}

/** What every other part of the client is made of: one call of one endpoint. */
export interface Caller {
  readonly url: string;
  /** Calls an endpoint by its name and returns its response; retries where that is safe. */
  call<N extends EndpointName>(name: N, ...options: Arguments<N>): Promise<Answer<N>>;
  /** Calls an endpoint once and returns when the headers have arrived: for streams and headers. 304 is not an error. */
  send<N extends EndpointName>(name: N, ...options: Arguments<N>): Promise<Response>;
}

/** Creates what calls the endpoints of the service at an address. */
export function createCaller({
  url,
  token,
  fetch: send = (input, init) => globalThis.fetch(input, init),
  retries = 3,
  timeoutMs = 60_000,
}: ClientOptions): Caller {
  const prepare = (name: EndpointName, options: AnyCallOptions) => {
    const route = routeOf(name);
    const request = { method: route.method, url: urlOf(url, route, options) };
    return { request, init: initOf(route, options, token) };
  };

  async function attempt(request: RequestInfo, init: RequestInit): Promise<Response> {
    const response = await send(request.url, init).catch((error: unknown) => {
      throw abortOrConnectionError(request, error, init.signal);
    });
    if (response.ok || response.status === 304) return response;
    throw await errorOf(request, response);
  }

  async function call(name: EndpointName, options: AnyCallOptions = {}): Promise<unknown> {
    const { request, init } = prepare(name, options);
    for (let failures = 1; ; failures++) {
      try {
        const limit = AbortSignal.timeout(options.timeoutMs ?? timeoutMs);
        const signal = options.signal ? AbortSignal.any([options.signal, limit]) : limit;
        return await readAnswer(request, await attempt(request, { ...init, signal }), options.signal);
      } catch (error) {
        options.signal?.throwIfAborted();
        const delayMs = retryDelayMs({ method: request.method, error, failures, retries });
        if (delayMs === undefined) throw error;
        await pause(delayMs, options.signal);
      }
    }
  }

  return {
    url,
    // The contract gives the types; the implementation is the same for every endpoint.
    call: call as Caller["call"],
    send: (async (name: EndpointName, options: AnyCallOptions = {}) => {
      const { request, init } = prepare(name, options);
      return attempt(request, init);
    }) as Caller["send"],
  };
}

/** The caller's own reason if the caller aborted, else a connection error. */
function abortOrConnectionError(request: RequestInfo, error: unknown, signal: AbortSignal | null | undefined): unknown {
  const isAborted = signal?.aborted === true && (signal.reason as Error | undefined)?.name !== "TimeoutError";
  return isAborted ? signal.reason : new ConnectionError(request, error);
}

async function readAnswer(request: RequestInfo, response: Response, signal: AbortSignal | undefined): Promise<unknown> {
  const text = await response.text().catch((error: unknown) => {
    throw abortOrConnectionError(request, error, signal);
  });
  if (response.status === 204 || response.status === 304) return undefined;
  if (!isJson(response)) return text;
  const value = parse(text);
  if (value === undefined) throw new ConnectionError(request, new Error("the response is not valid JSON"));
  return value;
}

async function errorOf(request: RequestInfo, response: Response): Promise<SlipwayError> {
  const text = await response.text().catch(() => "");
  const value = isJson(response) ? parse(text) : undefined;
  const problem = isProblem(value) ? value : undefined;
  return new SlipwayError(request, { status: response.status, problem, retryAfterMs: retryAfterMs(response) });
}

function isJson(response: Response): boolean {
  return /^application\/(\w+\+)?json\b/.test(response.headers.get("content-type") ?? "");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isProblem(value: unknown): value is Problem {
  const { code, detail } = (value ?? {}) as Partial<Problem>;
  return typeof code === "string" && typeof detail === "string";
}

function retryAfterMs({ headers }: Response): number | undefined {
  const text = headers.get("retry-after");
  if (text === null) return undefined;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
