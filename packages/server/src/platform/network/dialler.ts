import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { Agent, buildConnector, type Dispatcher, fetch as undiciFetch } from "undici";
import { type AddressRules, isLoopback, whyNotDialled } from "./allowed-address.ts";

export interface DiallerOptions extends AddressRules {
  readonly connectMs: number;
  /** Until the answer's head is there, and between two pieces of its body. */
  readonly readMs: number;
  /** All addresses of a name. */
  readonly resolve?: (host: string) => Promise<readonly { address: string; family: number }[]>;
  /** Whether unencrypted calls may only go to this machine. */
  readonly isPlainLocal?: boolean;
}

/** An address that must not be dialled; says which and why. */
export class DialRefusal extends Error {
  override readonly name = "DialRefusal";
}

interface Posted {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  /** How much of the answer's body is kept; no more than a little beyond that is read. */
  readonly keptBytes: number;
}

interface Posting {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** As much of it as is kept. */
  readonly body: Buffer;
}

/** Hears how a call ended, once, and never before the call was begun: a promise for each would be seen in its cost. */
export interface CallListener {
  onAnswer(answer: Posting): void;
  onFailure(error: Error): void;
}

/** A call that is under way. */
export interface Call {
  /** Waits no longer, whatever has come by then. */
  abort(): void;
}

/** So much of an answer is read to have its connection free again; of a longer one the connection is given up. */
const maxDrainedBytes = 64 * 1024;

/**
 * Goes to addresses that come from documents, agents and callers, and to no other than may be reached. The address that is
 * judged is the one that is dialled: a name is resolved once, and all that it stands for must be allowed.
 */
export class Dialler {
  readonly #options: DiallerOptions;
  readonly #agent: Dispatcher;
  readonly #connectTimes = new Map<string, { readonly atMs: number; readonly ms: number }>();
  #connectedAtMs = -Infinity;
  /** URLs that may be called, taken apart. */
  readonly #targets = new WeakMap<URL, { readonly origin: string; readonly path: string }>();

  constructor(options: DiallerOptions) {
    this.#options = options;
    const { connectMs, readMs } = options;
    const connectors = { "http:": this.#connector("http:", connectMs), "https:": this.#connector("https:", connectMs) };
    this.#agent = new Agent({
      // While it is asked for, all others of the place wait: one that hangs would hold them up.
      allowH2: false,
      headersTimeout: readMs,
      bodyTimeout: readMs,
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

  /** As `fetch`, but never to where it must not go; a redirect is an answer like any other. */
  readonly fetch = async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    this.refuseUrl(url);
    // Undici's own fetch, for its dispatcher; it is the same thing as the global one.
    return (await undiciFetch(url, {
      ...(init as object),
      redirect: "manual",
      dispatcher: this.#agent,
    })) as unknown as Response;
  };

  /** Posts a body on a connection that is kept, and reads no more of the answer than is asked for. */
  post(url: URL, { headers, body, keptBytes }: Posted, listener: CallListener): Call {
    const call = new PostCall(keptBytes, listener);
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

  /** How long the last connection to a place took, if it came about since then. */
  connectedSince(url: URL, sinceMs: number): number | undefined {
    if (this.#connectedAtMs < sinceMs) return undefined;
    const time = this.#connectTimes.get(placeOf(url.protocol, url.hostname, url.port));
    return time !== undefined && time.atMs >= sinceMs ? time.ms : undefined;
  }

  /** Says no at once where the address itself stands in the URL: names are judged when they are dialled. */
  refuseUrl(url: string | URL): void {
    const { hostname, protocol } = typeof url === "string" ? new URL(url) : url;
    if (protocol !== "https:" && protocol !== "http:") throw new DialRefusal(`${protocol} addresses are not called.`);
    // Undici does not look up what is an address already, however it is written; `URL` has made it plain.
    const literal = hostname.replace(/^\[|\]$/g, "");
    if (isIP(literal) !== 0) this.#require(protocol, literal, literal);
  }

  /** Says no if a name stands for an address that must not be called now. One that stands for nothing may do so later. */
  async refuseName(url: URL): Promise<void> {
    const { resolve = resolveAll } = this.#options;
    // A dot at the end changes nothing but how it is looked up.
    const host = url.hostname.replace(/\.$/, "");
    if (isIP(host.replace(/^\[|\]$/g, "")) !== 0) return;
    const { promise: patience, resolve: giveUp } = Promise.withResolvers<readonly []>();
    const timer = setTimeout(giveUp, this.#options.connectMs, []);
    const addresses = await Promise.race([resolve(host).catch(() => []), patience]);
    clearTimeout(timer);
    for (const { address } of addresses) this.#require(url.protocol, host, address);
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  #connector(protocol: string, connectMs: number): buildConnector.connector {
    const { resolve = resolveAll } = this.#options;
    return buildConnector({
      allowH2: false,
      timeout: connectMs,
      lookup: (host, { all }, callback) => {
        resolve(host).then(
          (addresses) => {
            try {
              for (const { address } of addresses) this.#require(protocol, host, address);
              if (addresses.length === 0) throw new DialRefusal(`${host} stands for no address.`);
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
    // Only what is connecting now is looked for.
    if (this.#connectTimes.size >= maxConnectTimes) this.#connectTimes.clear();
    const atMs = performance.now();
    this.#connectedAtMs = atMs;
    this.#connectTimes.set(placeOf(protocol, host, port), { atMs, ms: Math.round(atMs - beganMs) });
  }

  #require(protocol: string, host: string, address: string): void {
    const reason =
      whyNotDialled(address, this.#options) ??
      (this.#options.isPlainLocal && protocol === "http:" && !isLoopback(address)
        ? "unencrypted calls go to this machine only"
        : undefined);
    if (reason === undefined) return;
    const what = host === address ? host : `${host} (${address})`;
    throw new DialRefusal(`${what} must not be called: ${reason}.`);
  }
}

/** Never while undici is at it: the connection that a call had is not free before. */
const soon = Promise.resolve();

const maxConnectTimes = 10_000;

function placeOf(protocol: string, host: string, port: string): string {
  return `${protocol}//${host}:${port}`;
}

/** Takes an answer as it comes: streams and signals would cost as much as the call itself. */
class PostCall implements Call, Dispatcher.DispatchHandler {
  readonly #listener: CallListener;
  readonly #keptBytes: number;
  #controller: Dispatcher.DispatchController | undefined;
  #isAborted = false;
  #isOver = false;
  #status = 0;
  #headers: Record<string, string> = {};
  #kept: Buffer[] = [];
  #length = 0;

  constructor(keptBytes: number, listener: CallListener) {
    this.#keptBytes = keptBytes;
    this.#listener = listener;
  }

  abort(): void {
    this.#isAborted = true;
    const reason = new Error("It takes too long.");
    this.fail(reason);
    this.#controller?.abort(reason);
  }

  fail(error: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    void soon.then(() => this.#listener.onFailure(error));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isAborted) controller.abort(new Error("It takes too long."));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    // What comes before the answer is not the answer.
    if (status < 200) return;
    this.#status = status;
    for (const name of Object.keys(headers)) this.#headers[name] = String(headers[name]);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    // A copy: the chunk is a view of what is read next.
    if (this.#length < this.#keptBytes) this.#kept.push(Buffer.from(chunk.subarray(0, this.#keptBytes - this.#length)));
    this.#length += chunk.length;
    if (this.#length <= maxDrainedBytes) return;
    this.#end();
    controller.abort(new Error("The answer is longer than is read."));
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
    const body = this.#kept.length === 1 ? this.#kept[0]! : Buffer.concat(this.#kept);
    const answer = { status: this.#status, headers: this.#headers, body };
    void soon.then(() => this.#listener.onAnswer(answer));
  }
}

async function resolveAll(host: string): Promise<readonly { address: string; family: number }[]> {
  return lookup(host, { all: true });
}
