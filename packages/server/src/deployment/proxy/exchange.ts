import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { PoolCall, PoolHandler } from "../../platform/network/index.ts";
import { answerPlainly } from "./answer-plainly.ts";
import type { CookieFilter } from "./cookie-filter.ts";
import { answeredHeaders, type ForwardedHead } from "./forwarded-head.ts";
import type { InFlight, Instance } from "./release.ts";
import type { Routing, Target } from "./routing.ts";
import type { Outcome } from "./traffic.ts";
import { Tunnel } from "./tunnel.ts";

type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** What exchanges need from the proxy. */
export interface ExchangeDeps {
  /** The routing of this moment. */
  readonly routing: () => Routing;
  readonly cookies: CookieFilter;
  /** No release could take a request. */
  readonly onUnserved: () => void;
}

/** A client's request to change the protocol. */
export interface Upgrade {
  readonly protocol: string;
  readonly socket: Duplex;
  /** What the client sent right after the request. */
  readonly head: Buffer;
}

/** The first and two more: each at an instance that was not tried, or once more at the only one. */
const maxTries = 3;
const comeAgain = { "retry-after": "1" };

/** One request on its way to an instance and its answer on the way back, without a copy of either. */
export class Exchange implements InFlight, PoolHandler {
  readonly #deps: ExchangeDeps;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #head: ForwardedHead;
  readonly #expectsContinue: boolean;
  readonly #upgrade: Upgrade | undefined;
  readonly #startMs = performance.now();
  #target: Target | undefined;
  #tried: readonly Instance[] | undefined;
  #call: PoolCall | undefined;
  /** Bytes of the request may have reached the instance. */
  #isSent = false;
  /** The last try ended with bytes of the request sent and none of an answer. */
  #wasReset = false;
  /** Bytes of the answer have come. */
  #isAnswered = false;
  #isHeadWritten = false;
  #isFlushed = false;
  #isEventStream = false;
  #hasDrainListener = false;
  #isOver = false;
  #bytesRead = -1;

  constructor(deps: ExchangeDeps, { request, response, head, expectsContinue = false, upgrade }: ExchangeParts) {
    this.#deps = deps;
    this.#request = request;
    this.#response = response;
    this.#head = head;
    this.#expectsContinue = expectsContinue;
    this.#upgrade = upgrade;
    response.on("close", () => this.#onClientGone());
  }

  /** Sends the request to an instance that was not tried before. */
  send(): void {
    const target = this.#deps.routing().choose(this.#tried) ?? this.#onceMore();
    if (target === undefined) {
      this.#answerUnserved();
      return;
    }
    this.#target = target;
    this.#isSent = false;
    target.release.begin(target.instance, this);
    const { method, url } = this.#request;
    const { headers, hasBody } = this.#head;
    target.instance.pool.dispatch(
      {
        path: url!,
        method: method!,
        headers,
        body: hasBody ? this.#request : null,
        upgrade: this.#upgrade?.protocol ?? null,
      },
      this,
    );
  }

  cut(): void {
    if (this.#isOver) return;
    // The browser connects again by itself after an event stream's end: nothing is lost.
    const isHarmless = this.#isEventStream;
    this.#end(isHarmless ? "answered" : "dropped");
    this.#call?.abort(new Error("The version is stopped."));
    if (isHarmless) this.#response.end();
    else if (this.#isHeadWritten) this.#response.destroy();
    else this.#answer(503, "The version that worked on this request was stopped. Try again.", comeAgain);
  }

  /** Ends a request whose body has stopped coming since the last call. */
  checkProgress(): void {
    const { complete, socket } = this.#request;
    if (!this.#head.hasBody || complete || this.#isOver || this.#request.isPaused()) return;
    const bytesRead = socket?.bytesRead ?? 0;
    if (bytesRead !== this.#bytesRead) {
      this.#bytesRead = bytesRead;
      return;
    }
    this.#end("client left");
    this.#call?.abort(new Error("The request's body stopped coming."));
    if (this.#isHeadWritten) this.#response.destroy();
    else this.#answer(408, "The body of the request stopped coming. Send it again.");
  }

  onRequestStart(call: PoolCall): void {
    this.#call = call;
    this.#isSent = true;
    if (this.#isOver) call.abort(new Error("The client has gone."));
    else if (this.#expectsContinue && this.#tried === undefined) this.#response.writeContinue();
  }

  onResponseStarted(): void {
    this.#isAnswered = true;
  }

  onResponseStart(_call: PoolCall, status: number, headers: AnswerHeaders, statusText?: string): void {
    // Informational answers are the connection's own.
    if (status < 200 || this.#isOver) return;
    const response = this.#response;
    const canHaveTrailers = this.#request.httpVersionMinor > 0 && this.#request.method !== "HEAD";
    const kept = answeredHeaders(headers, this.#deps.cookies, canHaveTrailers && status !== 204 && status !== 304);
    // The rest of the body is not read: nothing else can follow on this connection.
    if (this.#head.hasBody && !this.#request.complete) response.shouldKeepAlive = false;
    this.#isEventStream = String(headers["content-type"]).startsWith("text/event-stream");
    response.writeHead(status, statusText ?? "", kept as string[]);
    this.#isHeadWritten = true;
    if (this.#isEventStream) this.#flush();
    else process.nextTick(flushOf, this);
  }

  onResponseData(call: PoolCall, chunk: Buffer): void {
    if (this.#isOver) return;
    this.#isFlushed = true;
    if (this.#response.write(chunk)) return;
    call.pause();
    if (this.#hasDrainListener) return;
    this.#hasDrainListener = true;
    this.#response.on("drain", () => this.#call?.resume());
  }

  onResponseEnd(_call: PoolCall, trailers: AnswerHeaders): void {
    if (this.#isOver) return;
    for (const _ in trailers) {
      this.#response.addTrailers(trailers as Record<string, string>);
      break;
    }
    this.#end(this.#response.statusCode >= 500 ? "failed" : "answered");
    this.#response.end();
  }

  onRequestUpgrade(_call: PoolCall, _status: number, headers: AnswerHeaders, socket: Duplex): void {
    const { release, instance } = this.#target!;
    const upgrade = this.#upgrade!;
    if (this.#isOver) {
      socket.destroy();
      return;
    }
    this.#isOver = true;
    this.#response.detachSocket(upgrade.socket as never);
    const tunnel = new Tunnel(upgrade.socket, socket, (outcome) =>
      release.end(instance, tunnel, outcome, performance.now() - this.#startMs),
    );
    release.begin(instance, tunnel);
    release.leave(instance, this);
    tunnel.open(upgrade, answeredHeaders(headers, this.#deps.cookies, false));
  }

  onResponseError(_call: PoolCall | null, error: NodeJS.ErrnoException): void {
    if (this.#isOver) return;
    if (!this.#isSent) this.#target!.instance.noteUnreachable();
    if (error.code === "UND_ERR_INVALID_ARG") {
      this.#end("client left");
      this.#answer(400, "The request is malformed.");
    } else if (this.#mayRetry(error)) this.#retry();
    else if (this.#isHeadWritten) {
      this.#end("dropped");
      // The client must not take the part for the whole.
      this.#response.destroy();
    } else {
      this.#end("dropped");
      const isLate = error.code === "UND_ERR_HEADERS_TIMEOUT";
      if (isLate) this.#answer(504, "The application did not answer in time.");
      else this.#answer(502, "The application did not answer as it should. Its log says more.");
    }
  }

  #answerUnserved(): void {
    if (this.#target === undefined) {
      this.#isOver = true;
      this.#deps.onUnserved();
      this.#answer(503, "No version of this application is running at the moment. Try again in a moment.", comeAgain);
    } else {
      this.#end("dropped");
      this.#answer(502, "The application cannot be reached. Try again in a moment.", comeAgain);
    }
  }

  /** Nothing may be carried out twice: what has a body or changes something is sent again only if nothing was sent. */
  #mayRetry({ code }: NodeJS.ErrnoException): boolean {
    if (this.#isAnswered || code === "UND_ERR_HEADERS_TIMEOUT") return false;
    if ((this.#tried?.length ?? 0) + 1 >= maxTries) return false;
    const { method } = this.#request;
    const isSafe = !this.#head.hasBody && (method === "GET" || method === "HEAD" || method === "OPTIONS");
    return !this.#isSent || isSafe;
  }

  #retry(): void {
    const { release, instance, judge } = this.#target!;
    judge?.add(true, performance.now() - this.#startMs);
    release.leave(instance, this);
    this.#tried = [...(this.#tried ?? []), instance];
    this.#wasReset = this.#isSent;
    // Undici is still at work on the failed connection.
    queueMicrotask(() => {
      if (!this.#isOver) this.send();
    });
  }

  /** The only instance is asked twice if it closed a connection, which it may do with any that is not in use. */
  #onceMore(): Target | undefined {
    const isFirst = this.#tried?.length === 1 && this.#wasReset;
    return isFirst ? this.#deps.routing().choose(undefined) : undefined;
  }

  #onClientGone(): void {
    if (this.#isOver) return;
    this.#end("client left");
    this.#call?.abort(new Error("The client has gone."));
  }

  #end(outcome: Outcome): void {
    this.#isOver = true;
    const { release, instance, judge } = this.#target!;
    const ms = performance.now() - this.#startMs;
    release.end(instance, this, outcome, ms);
    if (judge === undefined) return;
    if (outcome !== "client left") judge.add(outcome !== "answered", ms);
    // Who waited longer than the limit and went away has seen a slow answer.
    else if (!this.#isHeadWritten) judge.add(false, ms);
  }

  #answer(status: number, text: string, headers?: Readonly<Record<string, string>>): void {
    const response = this.#response;
    if (response.headersSent || response.destroyed) {
      response.destroy();
      return;
    }
    if (this.#head.hasBody && !this.#request.complete) response.shouldKeepAlive = false;
    answerPlainly(response, status, text, headers);
  }

  #flush(): void {
    if (this.#isFlushed || this.#isOver) return;
    this.#isFlushed = true;
    this.#response.flushHeaders();
  }

  static flush(one: Exchange): void {
    one.#flush();
  }
}

/** Headers travel with the first bytes of the body if these came with them, else at once. */
const flushOf = Exchange.flush;

interface ExchangeParts {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly head: ForwardedHead;
  readonly expectsContinue?: boolean;
  readonly upgrade?: Upgrade;
}
