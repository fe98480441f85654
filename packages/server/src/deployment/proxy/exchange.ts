import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { PoolCall, PoolHandler } from "../../platform/network/index.ts";
import { answerPlainly } from "./answer-plainly.ts";
import type { CanaryJudge } from "./canary-judge.ts";
import type { CookieFilter } from "./cookie-filter.ts";
import { answeredHeaders, type ForwardedHead } from "./forwarded-head.ts";
import { maySendAgain } from "./may-send-again.ts";
import type { InFlight, Instance } from "./release.ts";
import { RequestBody } from "./request-body.ts";
import type { Routing, Target } from "./routing.ts";
import type { Outcome } from "./traffic.ts";
import { Tunnel } from "./tunnel.ts";

type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** What exchanges need from the proxy. */
export interface ExchangeDeps {
  /** The routing of this moment. */
  readonly routing: () => Routing;
  readonly cookies: CookieFilter;
  readonly nowMs: () => number;
  /** No release could take a request. */
  readonly onUnserved: () => void;
}

/** A client's request to change the protocol. */
export interface Upgrade {
  readonly protocol: string;
  readonly socket: Socket;
  /** What the client sent right after the request. */
  readonly head: Buffer;
}

const comeAgain = { "retry-after": "1" };

/** One request on its way to an instance and its answer on the way back, without a copy of either. */
export class Exchange implements InFlight, PoolHandler {
  readonly #deps: ExchangeDeps;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #head: ForwardedHead;
  readonly #body: RequestBody | null;
  readonly #expectsContinue: boolean;
  readonly #upgrade: Upgrade | undefined;
  /** When the client had sent its request, as far as that took time. */
  #startMs: number;
  #headMs = 0;
  #isContinued = false;
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
  /** Until the canary is judged by this request, although it still waits. */
  #patience: NodeJS.Timeout | undefined;
  #judgedAs: "slow" | "failed" | undefined;
  #bytesRead = -1;

  constructor(deps: ExchangeDeps, { request, response, head, expectsContinue = false, upgrade }: ExchangeParts) {
    this.#deps = deps;
    this.#startMs = deps.nowMs();
    this.#request = request;
    this.#response = response;
    this.#head = head;
    this.#body = head.hasBody ? new RequestBody(request) : null;
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
    if (target.judge !== undefined && this.#judgedAs === undefined) this.#judgeWaiting(target.judge);
    const { method, url } = this.#request;
    const upgrade = this.#upgrade?.protocol ?? null;
    const { headers } = this.#head;
    target.instance.pool.dispatch({ path: url!, method: method!, headers, body: this.#body, upgrade }, this);
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

  /** Gives up a request whose body has stopped coming since the last call, although it is waited for. */
  checkProgress(): void {
    const request = this.#request;
    if (request.complete || !request.readableFlowing) return;
    const { bytesRead } = request.socket;
    if (bytesRead !== this.#bytesRead) {
      this.#bytesRead = bytesRead;
      return;
    }
    if (this.#isOver || this.#isHeadWritten) {
      // Its end is told by the response.
      request.destroy();
      return;
    }
    this.#end("client left");
    this.#call?.abort(new Error("The request's body stopped coming."));
    this.#response.shouldKeepAlive = false;
    this.#answer(408, "The body of the request stopped coming. Send it again.");
  }

  onRequestStart(call: PoolCall): void {
    this.#call = call;
    this.#isSent = true;
    if (this.#isOver) call.abort(new Error("The client has gone."));
    else if (this.#expectsContinue && !this.#isContinued) {
      this.#isContinued = true;
      this.#response.writeContinue();
    }
  }

  onRequestSent(): void {
    // How long a client takes for its body says nothing about the program.
    if (this.#body !== null) this.#startMs = this.#deps.nowMs();
  }

  onResponseStarted(): void {
    this.#isAnswered = true;
  }

  onResponseStart(_call: PoolCall, status: number, headers: AnswerHeaders, statusText?: string): void {
    // Informational answers are the connection's own.
    if (status < 200 || this.#isOver) return;
    clearTimeout(this.#patience);
    const response = this.#response;
    const canHaveTrailers = this.#request.httpVersionMinor > 0 && this.#request.method !== "HEAD";
    const kept = answeredHeaders(headers, this.#deps.cookies, canHaveTrailers && status !== 204 && status !== 304);
    this.#isEventStream = String(headers["content-type"]).startsWith("text/event-stream");
    // Undici has read it as UTF-8, which Node would not write.
    response.statusMessage = /^[\t -~]*$/.test(statusText ?? "") ? (statusText ?? "") : "";
    response.writeHead(status, kept as string[]);
    this.#isHeadWritten = true;
    this.#headMs = this.#elapsedMs();
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
    const kept = answeredHeaders(trailers, this.#deps.cookies, false);
    if (kept.length > 0) this.#response.addTrailers(pairsOf(kept));
    this.#end(this.#response.statusCode >= 500 ? "failed" : "answered");
    this.#response.end();
  }

  onRequestUpgrade(_call: PoolCall, _status: number, headers: AnswerHeaders, socket: Duplex): void {
    const { release, instance, judge } = this.#target!;
    const upgrade = this.#upgrade!;
    if (this.#isOver) {
      socket.destroy();
      return;
    }
    // Before anything is given up: it may throw, which is a 502.
    const kept = answeredHeaders(headers, this.#deps.cookies, false);
    this.#isOver = true;
    clearTimeout(this.#patience);
    this.#response.detachSocket(upgrade.socket);
    const ms = this.#elapsedMs();
    const tunnel = new Tunnel(upgrade.socket, socket as Socket, () => release.end(instance, tunnel, "answered", ms));
    release.begin(instance, tunnel);
    release.leave(instance, this);
    judge?.add(false, ms);
    const protocol = String(headers["upgrade"] ?? upgrade.protocol);
    tunnel.open({ protocol, head: upgrade.head, headers: kept });
  }

  onResponseError(_call: PoolCall | null, error: NodeJS.ErrnoException): void {
    if (this.#isOver) return;
    if (error.code === "UND_ERR_INVALID_ARG") {
      this.#end("client left");
      this.#answer(400, "The request is malformed.");
      return;
    }
    if (!this.#isSent) this.#target!.instance.noteUnreachable();
    if (this.#maySendAgain(error.code)) this.#sendAgain();
    else this.#giveUp(error.code);
  }

  #giveUp(errorCode: string | undefined): void {
    this.#end("dropped");
    // The client must not take a part for the whole.
    if (this.#isHeadWritten) this.#response.destroy();
    else if (errorCode === "UND_ERR_HEADERS_TIMEOUT") this.#answer(504, "The application did not answer in time.");
    else this.#answer(502, "The application did not answer as it should. Its log says more.");
  }

  #answerUnserved(): void {
    if (this.#target === undefined) {
      this.#isOver = true;
      this.#body?.destroy();
      this.#deps.onUnserved();
      this.#answer(503, "No version of this application is running at the moment. Try again in a moment.", comeAgain);
    } else {
      this.#end("dropped");
      this.#answer(502, "The application cannot be reached. Try again in a moment.", comeAgain);
    }
  }

  #maySendAgain(errorCode: string | undefined): boolean {
    const { hasBody } = this.#head;
    const tries = (this.#tried?.length ?? 0) + 1;
    const method = this.#request.method!;
    return maySendAgain({ method, hasBody, isSent: this.#isSent, isAnswered: this.#isAnswered, errorCode, tries });
  }

  #sendAgain(): void {
    const { release, instance, judge } = this.#target!;
    clearTimeout(this.#patience);
    judge?.add(true, this.#elapsedMs());
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
    clearTimeout(this.#patience);
    // What is left of it is thrown away.
    this.#body?.destroy();
    const { release, instance, judge } = this.#target!;
    // A stream lasts as long as it is wanted, and a client that reads slowly is no slow program.
    const ms = this.#isEventStream || this.#hasDrainListener ? this.#headMs : this.#elapsedMs();
    release.end(instance, this, outcome, ms);
    if (judge === undefined || this.#judgedAs === "failed") return;
    const hasFailed = outcome === "failed" || outcome === "dropped";
    if (this.#judgedAs === "slow") {
      if (hasFailed) judge.add(true, 0);
    } else if (outcome !== "client left") judge.add(hasFailed, ms);
    // Who waited for longer than the limit and went away has seen a slow program.
    else if (!this.#isHeadWritten && this.#isWholeSent()) judge.add(false, ms);
  }

  /** A request that nobody answers says something of a canary before it ends, which it may never do. */
  #judgeWaiting(judge: CanaryJudge): void {
    const ms = this.#elapsedMs();
    if (ms > judge.patienceMs) this.#judgedAs = judge.addWaiting(ms) ? "failed" : "slow";
    else this.#patience = setTimeout(() => this.#judgeWaiting(judge), judge.patienceMs - ms + 1).unref();
  }

  #isWholeSent(): boolean {
    return this.#body === null || this.#request.complete;
  }

  #elapsedMs(): number {
    return this.#isWholeSent() ? this.#deps.nowMs() - this.#startMs : 0;
  }

  #answer(status: number, text: string, headers?: Readonly<Record<string, string>>): void {
    const response = this.#response;
    if (response.headersSent || response.destroyed) {
      response.destroy();
      return;
    }
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

function pairsOf(headers: readonly (string | string[])[]): [string, string][] {
  const names = headers.filter((_, index) => index % 2 === 0) as string[];
  return names.map((name, index) => [name, String(headers[2 * index + 1])]);
}

interface ExchangeParts {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly head: ForwardedHead;
  readonly expectsContinue?: boolean;
  readonly upgrade?: Upgrade;
}
