import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import type { buildConnector, Dispatcher } from "undici";
import { type AddressRules, isLoopback, whyNotDialled } from "./allowed-address.ts";
import { loadUndici } from "./load-undici.ts";

export interface DiallerOptions extends AddressRules {
  readonly connectMs: number;
  /** Until the headers of the answer arrive, and between two chunks of its body. */
  readonly readMs: number;
  /** Resolves a name to all its addresses. */
  readonly resolve?: (host: string) => Promise<readonly { address: string; family: number }[]>;
  /** Whether only this machine may be called without TLS. */
  readonly isPlainLocal?: boolean;
}

/** The address must not be dialled; the message says which and why. */
export class DialRefusal extends Error {
  override readonly name = "DialRefusal";
}

interface PostRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  /** How much of the answer's body is returned. */
  readonly maxAnswerBytes: number;
}

interface PostAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** At most `maxAnswerBytes` of it. */
  readonly body: Buffer;
}

/** Learns how a call ended: once, and never before `post` returned. A promise for each call would be measurably slower. */
export interface CallListener {
  onAnswer(answer: PostAnswer): void;
  onFailure(error: Error): void;
}

/** A call in flight. */
export interface Call {
  /** Fails the call now. */
  abort(): void;
}

/** Answers up to this size are read to the end, so that the connection can be reused; longer ones close it. */
const maxDrainedBytes = 64 * 1024;

/**
 * Calls URLs that come from documents, agents and callers, and refuses forbidden addresses. It checks the very address it
 * dials: a name is resolved once, and all its addresses must be allowed.
 */
export class Dialler {
  readonly #options: DiallerOptions;
  #openAgent: Dispatcher | undefined;
  readonly #connectTimes = new Map<string, { readonly atMs: number; readonly ms: number }>();
  #connectedAtMs = -Infinity;
  /** URLs that passed the check, already parsed. */
  readonly #targets = new WeakMap<URL, { readonly origin: string; readonly path: string }>();

  constructor(options: DiallerOptions) {
    this.#options = options;
  }

  /** Like `fetch`, but refuses forbidden addresses and returns redirects instead of following them. */
  readonly fetch = async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    this.refuseUrl(url);
    // The global fetch does not take a dispatcher; undici's own is the same implementation, with types of its own.
    return (await loadUndici().fetch(url, {
      ...(init as object),
      redirect: "manual",
      dispatcher: this.#agent,
    })) as unknown as Response;
  };

  /** Posts a body on a pooled connection, and reads a bounded part of the answer. */
  post(url: URL, { headers, body, maxAnswerBytes }: PostRequest, listener: CallListener): Call {
    const call = new PostCall(maxAnswerBytes, listener);
    try {
      const { origin, path } = this.#targetOf(url);
      this.#agent.dispatch({ origin, path, method: "POST", headers, body }, call);
    } catch (error) {
      call.fail(error as Error);
    }
    return call;
  }

  #targetOf(url: URL): { readonly origin: string; readonly path: string } {
    let target = this.#targets.get(url);
    if (target === undefined) {
      this.refuseUrl(url);
      target = { origin: url.origin, path: url.pathname + url.search };
      this.#targets.set(url, target);
    }
    return target;
  }

  /** How long the last connection to the host of a URL took, if it was made since then. */
  connectedSince(url: URL, sinceMs: number): number | undefined {
    if (this.#connectedAtMs < sinceMs) return undefined;
    const time = this.#connectTimes.get(originOf(url.protocol, url.hostname, url.port));
    return time !== undefined && time.atMs >= sinceMs ? time.ms : undefined;
  }

  /** Throws a DialRefusal for what a URL alone shows to be forbidden; other names are checked when they are dialled. */
  refuseUrl(url: string | URL): void {
    const { hostname, protocol } = typeof url === "string" ? new URL(url) : url;
    if (protocol !== "https:" && protocol !== "http:") throw new DialRefusal(`${protocol} addresses are not called.`);
    // Undici does not resolve IP addresses, in whichever notation; `URL` has normalised it.
    const literal = hostname.replace(/^\[|\]$/g, "");
    if (isIP(literal) !== 0) this.#require(protocol, literal, literal);
    // Whatever the name resolves to now: it may be another address tomorrow.
    else if (this.#options.isPlainLocal && protocol === "http:" && !isLoopback(literal.replace(/\.$/, "")))
      throw new DialRefusal(`${literal} must not be called: ${plainOnlyLocal}.`);
  }

  /** Throws a DialRefusal if a name resolves to a forbidden address now. A name that does not resolve may do so later. */
  async refuseName(url: URL): Promise<void> {
    const { resolve = resolveAll } = this.#options;
    // A dot at the end only changes how the name is resolved.
    const host = url.hostname.replace(/\.$/, "");
    if (isIP(host.replace(/^\[|\]$/g, "")) !== 0) return;
    const { promise: timeout, resolve: giveUp } = Promise.withResolvers<readonly []>();
    const timer = setTimeout(giveUp, this.#options.connectMs, []);
    const addresses = await Promise.race([resolve(host).catch(() => []), timeout]);
    clearTimeout(timer);
    for (const { address } of addresses) this.#require(url.protocol, host, address);
  }

  async close(): Promise<void> {
    await this.#openAgent?.destroy();
  }

  get #agent(): Dispatcher {
    this.#openAgent ??= this.#open();
    return this.#openAgent;
  }

  #open(): Dispatcher {
    const connectors = { "http:": this.#connector("http:"), "https:": this.#connector("https:") };
    return new (loadUndici().Agent)({
      // With HTTP/2, all calls to a host would wait for one connection, and hang with it.
      allowH2: false,
      headersTimeout: this.#options.readMs,
      bodyTimeout: this.#options.readMs,
      connect: (to, callback) => {
        const beganMs = performance.now();
        const connect = to.protocol === "https:" ? connectors["https:"] : connectors["http:"];
        connect(to, (...[error, socket]) => {
          if (error === null) this.#noteConnected(to.protocol, to.hostname, to.port, beganMs);
          callback(...([error, socket] as Parameters<typeof callback>));
        });
      },
    });
  }

  #connector(protocol: string): buildConnector.connector {
    const { resolve = resolveAll, connectMs } = this.#options;
    return loadUndici().buildConnector({
      allowH2: false,
      timeout: connectMs,
      lookup: (host, { all }, callback) => {
        resolve(host).then(
          (addresses) => {
            try {
              for (const { address } of addresses) this.#require(protocol, host, address);
              if (addresses.length === 0) throw new DialRefusal(`${host} has no address.`);
              if (all) callback(null, [...addresses]);
              else callback(null, addresses[0]!.address, addresses[0]!.family);
            } catch (error) {
              callback(error as Error, "", 0);
            }
          },
          (error: Error) => callback(error, "", 0),
        );
      },
    });
  }

  #noteConnected(protocol: string, host: string, port: string, beganMs: number): void {
    // Callers only ask about present connections.
    if (this.#connectTimes.size >= maxConnectTimes) this.#connectTimes.clear();
    const atMs = performance.now();
    this.#connectedAtMs = atMs;
    this.#connectTimes.set(originOf(protocol, host, port), { atMs, ms: Math.round(atMs - beganMs) });
  }

  #require(protocol: string, host: string, address: string): void {
    const reason =
      whyNotDialled(address, this.#options) ??
      (this.#options.isPlainLocal && protocol === "http:" && !isLoopback(address) ? plainOnlyLocal : undefined);
    if (reason === undefined) return;
    const what = host === address ? host : `${host} (${address})`;
    throw new DialRefusal(`${what} must not be called: ${reason}.`);
  }
}

/** Listeners are called after undici has finished, when the connection of the call is free again. */
const afterUndici = Promise.resolve();

const maxConnectTimes = 10_000;
const plainOnlyLocal = "unencrypted calls go to this machine only";

function originOf(protocol: string, host: string, port: string): string {
  return `${protocol}//${host}:${port}`;
}

/** Reads an answer by callbacks: streams and signals would cost as much as the call itself. */
class PostCall implements Call, Dispatcher.DispatchHandler {
  readonly #listener: CallListener;
  readonly #maxAnswerBytes: number;
  #controller: Dispatcher.DispatchController | undefined;
  #isAborted = false;
  #isOver = false;
  #status = 0;
  #headers: Record<string, string> = {};
  #chunks: Buffer[] = [];
  #length = 0;

  constructor(maxAnswerBytes: number, listener: CallListener) {
    this.#maxAnswerBytes = maxAnswerBytes;
    this.#listener = listener;
  }

  abort(): void {
    this.#isAborted = true;
    const reason = new Error("The call takes too long.");
    this.fail(reason);
    this.#controller?.abort(reason);
  }

  fail(error: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    void afterUndici.then(() => this.#listener.onFailure(error));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isAborted) controller.abort(new Error("The call takes too long."));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    // Informational answers precede the answer.
    if (status < 200) return;
    this.#status = status;
    for (const name of Object.keys(headers)) this.#headers[name] = String(headers[name]);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    // A copy, because undici reuses the memory of the chunk.
    if (this.#length < this.#maxAnswerBytes)
      this.#chunks.push(Buffer.from(chunk.subarray(0, this.#maxAnswerBytes - this.#length)));
    this.#length += chunk.length;
    if (this.#length <= maxDrainedBytes) return;
    this.#end();
    controller.abort(new Error("The answer is too long."));
  }

  onResponseEnd(): void {
    this.#end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail(error);
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const body = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks);
    const answer = { status: this.#status, headers: this.#headers, body };
    void afterUndici.then(() => this.#listener.onAnswer(answer));
  }
}

async function resolveAll(host: string): Promise<readonly { address: string; family: number }[]> {
  return lookup(host, { all: true });
}
