import { createServer, type IncomingMessage, type Server, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { endPipeline } from "../../platform/end-pipeline.ts";
import { type OriginPool, openOriginPool, prepareOriginPools } from "../../platform/network/index.ts";
import { sessionCookiePrefix } from "../../platform/session-cookie-name.ts";
import { answerPlainly } from "./answer-plainly.ts";
import type { CanaryLimits } from "./canary-judge.ts";
import { CookieFilter } from "./cookie-filter.ts";
import { Exchange, type ExchangeDeps } from "./exchange.ts";
import { type ForwardedHead, forwardedHead } from "./forwarded-head.ts";
import { Release } from "./release.ts";
import { Routing } from "./routing.ts";
import { SharedConnections } from "./shared-connections.ts";
import type { ReleaseTraffic } from "./traffic.ts";

/** A release that gets requests. */
export interface Backend {
  readonly release: string;
  /** Origins of its instances: `http://127.0.0.1:port`. */
  readonly origins: readonly string[];
  /** Its share of the requests is its weight among all weights; 0 is none. */
  readonly weight: number;
}

interface Address {
  readonly host: string;
  readonly port: number;
}

export interface ReverseProxyOptions {
  /** Names of cookies that neither reach the program nor are set by it. */
  readonly stripCookies?: readonly string[];
  /** Whether an address is a proxy of the operator, whose `X-Forwarded-*` headers count. */
  readonly isTrustedPeer?: (address: string) => boolean;
  /** Of clients, and of each instance. */
  readonly maxConnections?: number;
  /** Those of clients that all proxies of the process have together. */
  readonly shared?: SharedConnections;
  /** Until a client has sent the headers of a request. */
  readonly headersMs?: number;
  /** A body may take long, but not pause for longer than this. */
  readonly bodyPauseMs?: number;
  readonly connectMs?: number;
  /** Until the program begins to answer. */
  readonly answerMs?: number;
  /** Of a request's headers, and of an answer's. */
  readonly maxHeaderBytes?: number;
  /** Chooses among releases: from 0 up to, but not including, 1. */
  readonly random?: () => number;
  /** Measures latencies. */
  readonly nowMs?: () => number;
}

const defaults = {
  stripCookies: [`${sessionCookiePrefix}*`],
  isTrustedPeer: () => false,
  maxConnections: 2_000,
  shared: new SharedConnections(),
  headersMs: 30_000,
  bodyPauseMs: 30_000,
  connectMs: 5_000,
  answerMs: 300_000,
  maxHeaderBytes: 16_384,
  random: Math.random,
  nowMs: () => performance.now(),
} satisfies Required<ReverseProxyOptions>;

/** A reverse proxy for one application: it passes requests to the releases that it is told, and counts what becomes of them. */
export class ReverseProxy {
  readonly #options: Required<ReverseProxyOptions>;
  readonly #server: Server;
  readonly #deps: ExchangeDeps;
  readonly #releases = new Map<string, Release>();
  readonly #exchanges = new Set<Exchange>();
  #routing: Routing;
  /** How many requests of a connection wait behind another. */
  readonly #waiting = new WeakMap<Socket, number>();
  #unserved = 0;
  #isClosing = false;
  #progressTimer: NodeJS.Timeout | undefined;
  readonly #connections: ReturnType<SharedConnections["join"]>;

  constructor(options: ReverseProxyOptions = {}) {
    this.#options = { ...defaults, ...options };
    this.#connections = this.#options.shared.join();
    this.#routing = new Routing([], this.#options);
    this.#deps = {
      routing: () => this.#routing,
      cookies: new CookieFilter(this.#options.stripCookies),
      nowMs: this.#options.nowMs,
      onUnserved: () => this.#noteUnserved(),
    };
    this.#server = this.#createServer();
  }

  /** Listens, and gives the port. */
  async listen({ host, port }: Address): Promise<number> {
    prepareOriginPools();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#server.once("error", reject).listen({ host, port }, resolve);
    try {
      await promise;
    } catch (error) {
      throw new Error(whyNotListening(error as NodeJS.ErrnoException, { host, port }), { cause: error });
    } finally {
      this.#server.off("error", reject);
    }
    return (this.#server.address() as AddressInfo).port;
  }

  /** Routes requests from now on to these releases; requests in flight finish where they are. */
  route(backends: readonly Backend[], canary?: CanaryLimits): void {
    for (const { release, weight } of backends)
      if (!(weight >= 0 && weight < Number.POSITIVE_INFINITY))
        throw new Error(`The weight of ${release} is ${weight}: give a number from 0 on.`);
    const shares = backends.map(({ release, weight }) => ({ release: this.#releaseNamed(release), weight }));
    // Throws on an unknown canary, before anything has changed.
    const routing = new Routing(shares, { canary, random: this.#options.random, before: this.#routing });
    for (const { release, origins } of backends) this.#releaseNamed(release).setOrigins(origins);
    this.#routing = routing;
    const retired = [...this.#releases.values()].filter((release) => !routing.has(release));
    for (const release of retired) release.setOrigins([]);
    const idle = retired.filter((release) => release.isIdle);
    for (const { name } of idle.slice(0, -maxRetired)) this.#releases.delete(name);
  }

  /** Takes these instances of a release into rotation and all others out of it, at once. */
  setOrigins(release: string, origins: readonly string[]): void {
    const known = this.#releases.get(release);
    if (known === undefined || !this.#routing.has(known))
      throw new Error(`The release ${release} gets no requests: route to it first.`);
    known.setOrigins(origins);
  }

  /**
   * Waits until no request of a release, or of one of its instances, is in flight, at most so long. Cuts the rest, and
   * gives how many that were.
   */
  async drained(release: string, maxMs: number, origin?: string): Promise<number> {
    return (await this.#releases.get(release)?.drained(maxMs, origin)) ?? 0;
  }

  traffic(): readonly ReleaseTraffic[] {
    return [...this.#releases.values()].map((release) => release.traffic());
  }

  /** How many requests came while there was no release to route to; those that found no instance are dropped ones of theirs. */
  get unserved(): number {
    return this.#unserved;
  }

  /** Takes no more connections, waits for requests in flight at most so long, and cuts the rest. */
  async close(maxMs = 0): Promise<void> {
    clearInterval(this.#progressTimer);
    this.#isClosing = true;
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    // Also called, with an error, where it does not listen.
    this.#server.close(() => resolve());
    await Promise.all([...this.#releases.values()].map((release) => release.drained(maxMs)));
    this.#server.closeAllConnections();
    this.route([]);
    await closed;
    this.#options.shared.leave(this.#connections);
  }

  #createServer(): Server {
    const { headersMs, maxHeaderBytes, maxConnections, bodyPauseMs } = this.#options;
    const server = createServer({
      headersTimeout: headersMs,
      // An upload may take as long as it keeps coming.
      requestTimeout: 0,
      connectionsCheckingInterval: Math.min(headersMs, 30_000),
      keepAliveTimeout: 65_000,
      // Finds out about clients that went away without a word.
      keepAlive: true,
      keepAliveInitialDelay: 60_000,
      maxHeaderSize: maxHeaderBytes,
      insecureHTTPParser: false,
      shouldUpgradeCallback: mayUpgrade,
    });
    server.maxConnections = maxConnections;
    server.on("connection", (socket: Socket) => {
      if (!this.#connections.take()) return void socket.destroy();
      socket.once("close", () => this.#connections.giveBack());
    });
    // Their size is limited; those above a number would be left out in silence.
    server.maxHeadersCount = 0;
    server.on("request", (request, response) => this.#pass(request, response, false));
    server.on("checkContinue", (request, response) => this.#pass(request, response, true));
    server.on("upgrade", (request: IncomingMessage, socket: Socket, head: Buffer) =>
      this.#upgrade(request, socket, head),
    );
    this.#progressTimer = setInterval(() => this.#checkProgress(), bodyPauseMs).unref();
    return server;
  }

  #pass(request: IncomingMessage, response: ServerResponse, expectsContinue: boolean): void {
    if (this.#isClosing) response.shouldKeepAlive = false;
    // Node has not given it the connection: another is before it.
    if (response.socket === null && !this.#mayWait(request.socket, response)) return;
    const head = this.#headOf(request, response);
    if (head === undefined) return;
    const exchange = new Exchange(this.#deps, { request, response, head, expectsContinue });
    if (head.hasBody) {
      this.#exchanges.add(exchange);
      request.on("close", () => this.#exchanges.delete(exchange));
    }
    exchange.send();
  }

  /** Without a limit, one connection could fill the memory with requests. */
  #mayWait(socket: Socket, response: ServerResponse): boolean {
    const waiting = (this.#waiting.get(socket) ?? 0) + 1;
    if (waiting > maxWaiting) endPipeline(socket);
    if (socket.destroyed) return false;
    this.#waiting.set(socket, waiting);
    response.on("close", () => this.#waiting.set(socket, this.#waiting.get(socket)! - 1));
    return true;
  }

  #upgrade(request: IncomingMessage, socket: Socket, first: Buffer): void {
    // Node leaves the connection to us: also its errors, of which its end tells enough.
    socket.on("error", () => undefined);
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.on("finish", () => socket.destroySoon());
    const head = this.#headOf(request, response);
    if (head === undefined) return;
    const upgrade = { protocol: request.headers.upgrade!, socket, head: first };
    new Exchange(this.#deps, { request, response, head, upgrade }).send();
  }

  #headOf(request: IncomingMessage, response: ServerResponse): ForwardedHead | undefined {
    const address = plainAddress(request.socket.remoteAddress);
    const isTrusted = this.#options.isTrustedPeer(address);
    const head = forwardedHead(request.rawHeaders, { address, isTrusted }, this.#deps.cookies);
    const refusal = "status" in head ? head : request.url!.startsWith("/") ? undefined : badTarget;
    if (refusal === undefined) return head as ForwardedHead;
    response.shouldKeepAlive = false;
    answerPlainly(response, refusal.status, refusal.text);
    return undefined;
  }

  #noteUnserved(): void {
    const release = this.#routing.main;
    if (release === undefined) this.#unserved += 1;
    else release.drop();
  }

  #checkProgress(): void {
    for (const exchange of this.#exchanges) exchange.checkProgress();
  }

  #releaseNamed(name: string): Release {
    let release = this.#releases.get(name);
    if (release === undefined) {
      release = new Release(name, (origin) => this.#openPool(origin));
      this.#releases.set(name, release);
    }
    return release;
  }

  #openPool(origin: string): OriginPool {
    const { maxConnections, connectMs, answerMs, maxHeaderBytes } = this.#options;
    return openOriginPool(origin, { maxConnections, connectMs, answerMs, maxHeaderBytes });
  }
}

/** Of so many releases that get no requests any more the numbers can still be read. */
const maxRetired = 5;

/** Hardly any client sends a request before the answer to the one before, and none so many. */
const maxWaiting = 32;

const badTarget = { status: 400, text: "The request's target is no path. Ask for a path that begins with a slash." };

/** An IPv4 client of a socket for both versions is shown by its own address. */
function plainAddress(address = "unknown"): string {
  return address.startsWith("::ffff:") && address.includes(".") ? address.slice(7) : address;
}

/** HTTP/2 in the clear would be a tunnel past everything that is checked here; other requests may ignore the wish. */
function mayUpgrade({ method, headers }: IncomingMessage): boolean {
  const hasBody = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
  return method === "GET" && !hasBody && !/\bh2c\b/i.test(headers.upgrade ?? "");
}

function whyNotListening({ code, message }: NodeJS.ErrnoException, { host, port }: Address): string {
  const where = `Port ${port} on ${host}`;
  if (code === "EADDRINUSE") return `${where} is taken: stop what listens there, or choose another port.`;
  if (code === "EACCES") return `${where} may not be used by this user: choose a port above 1023.`;
  return `Listening on port ${port} of ${host} failed: ${message}`;
}
