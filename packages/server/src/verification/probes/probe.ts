import { setTimeout as delay } from "node:timers/promises";
import type { CompleteSpec } from "@slipway/spec";
import type { Masker } from "../../platform/secrets/index.ts";
import { type Exchange, exchange, type ProbeRequest } from "./exchange.ts";
import type { Software } from "./start-software.ts";
import { tokenHeader } from "./token-header.ts";

type ToSend = Omit<ProbeRequest, "url" | "signal" | "timeoutMs"> & {
  readonly path: string;
  readonly timeoutMs?: number;
};

/** An exchange, and the line of the document that it was made for. */
export interface KeptExchange extends Exchange {
  readonly pointer: string;
}

/** How many exchanges the evidence holds, and how much of their answers: a program may answer a megabyte each time. */
const maxKept = 2_000;
const maxKeptChars = 64 * 1024;
const maxKeptCharsOfAll = 1024 * 1024;

/** Sends the requests of checks to started software, with the document's limits, and keeps what was exchanged. */
export class Probe {
  readonly kept: KeptExchange[] = [];
  /** Lines one of whose requests got no answer in the end. */
  readonly unanswered = new Set<string>();
  readonly software: Software;
  /** Where the software expects its token. */
  readonly tokenHeader: string;
  readonly #network: CompleteSpec["network"];
  readonly signal: AbortSignal;
  /** For what is quoted of answers. */
  readonly masker: Pick<Masker, "maskAndCut">;
  #charsLeft = maxKeptCharsOfAll;

  constructor(
    software: Software,
    document: Pick<CompleteSpec, "network">,
    { signal, masker }: Pick<Probe, "signal" | "masker">,
  ) {
    this.software = software;
    this.tokenHeader = tokenHeader(document);
    this.#network = document.network;
    this.signal = signal;
    this.masker = masker;
  }

  /** Sends a request; one that reads is sent again where there was no answer at all. */
  async send(pointer: string, { path, timeoutMs, ...request }: ToSend): Promise<Exchange> {
    const { timeouts, retries } = this.#network;
    const limitMs = timeoutMs ?? (timeouts.connect_seconds + timeouts.read_seconds) * 1000;
    const isRead = request.method === "GET" || request.method === "HEAD";
    const attempts = isRead ? retries.max_attempts : 1;
    for (let attempt = 1; ; attempt += 1) {
      const url = this.software.url + path;
      const done = await exchange({ ...request, url, timeoutMs: limitMs, signal: this.signal });
      if (this.kept.length < maxKept) this.kept.push({ pointer, ...this.#shortened(done) });
      const isOver = done.durationMs >= limitMs;
      const isLast = isOver || attempt >= attempts;
      if (done.answer === undefined && isLast) this.unanswered.add(pointer);
      if (done.answer !== undefined || isLast) return done;
      await delay(Math.min(1_000, 50 * retries.backoff_factor ** attempt), undefined, { signal: this.signal });
    }
  }

  #shortened(done: Exchange): Exchange {
    if (done.answer === undefined) return done;
    const { text } = done.answer;
    const length = Math.min(text.length, maxKeptChars, this.#charsLeft);
    this.#charsLeft -= length;
    // A copy: a slice would keep the whole text alive.
    const kept = Buffer.from(text.slice(0, length), "utf16le").toString("utf16le");
    return { ...done, answer: { ...done.answer, text: kept } };
  }
}
