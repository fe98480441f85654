import type { EndpointName } from "@slipway/contract";
import { abortOrConnectionError, errorOf, isAsked, readAnswer, strangeAnswer } from "./answer-of.ts";
import type { Answer, AnyCallOptions, Arguments } from "./call-types.ts";
import { pause } from "./pause.ts";
import { initOf, type Prepared, routeOf, urlOf } from "./request-of.ts";
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
  const prepare = (name: EndpointName, options: AnyCallOptions): Prepared => {
    const route = routeOf(name);
    const request = { method: route.method, url: urlOf(url, route, options) };
    return { request, route, init: initOf(route, options, token) };
  };

  async function attempt({ request, route, init }: Prepared): Promise<Response> {
    const response = await send(request.url, init).catch((error: unknown) => {
      throw abortOrConnectionError(request, error, init.signal);
    });
    if (!response.ok && response.status !== 304) throw await errorOf(request, response);
    if (isAsked(route, init, response)) return response;
    await response.body?.cancel().catch(() => undefined);
    throw strangeAnswer(request, response);
  }

  async function call(name: EndpointName, options: AnyCallOptions = {}): Promise<unknown> {
    const prepared = prepare(name, options);
    for (let failures = 1; ; failures++) {
      try {
        const limit = AbortSignal.timeout(options.timeoutMs ?? timeoutMs);
        const signal = options.signal ? AbortSignal.any([options.signal, limit]) : limit;
        const response = await attempt({ ...prepared, init: { ...prepared.init, signal } });
        return await readAnswer(prepared, response, options.signal);
      } catch (error) {
        options.signal?.throwIfAborted();
        const delayMs = retryDelayMs({ method: prepared.request.method, error, failures, retries });
        if (delayMs === undefined) throw error;
        await pause(delayMs, options.signal);
      }
    }
  }

  return {
    url,
    // The contract gives the types; the implementation is the same for every endpoint.
    call: call as Caller["call"],
    send: (async (name: EndpointName, options: AnyCallOptions = {}) =>
      attempt(prepare(name, options))) as Caller["send"],
  };
}
