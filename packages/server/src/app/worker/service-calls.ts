import type { Problem } from "@slipway/contract";
import { parseJson } from "../../platform/bounded-json.ts";
import { createAjv } from "../../platform/json-schema/index.ts";
import { readRetryAfter, readWholeAnswer } from "../../platform/network/index.ts";
import { pause } from "../../platform/pause.ts";

/** The service refused a call; a retry would not help. */
export class ServiceRefusal extends Error {
  override readonly name = "ServiceRefusal";
  readonly status: number;

  constructor(status: number, detail: string) {
    super(detail);
    this.status = status;
  }

  /** Whether the lease has ended or belongs to another worker. */
  get isLoss(): boolean {
    return this.status === 409 || this.status === 404;
  }
}

interface CallOptions {
  readonly method?: "GET" | "POST";
  readonly json?: object;
  readonly bytes?: Uint8Array<ArrayBuffer>;
  readonly signal?: AbortSignal;
}

const firstPauseMs = 250;
const maxPauseMs = 10_000;
/** A task with its document and all that an agent is told takes a few megabytes. */
const maxAnswerBytes = 32 * 2 ** 20;
/** What the service itself deploys or sends of a project. */
const maxFilesBytes = 6 * 2 ** 30;

/** Calls the service of a worker; retries while it restarts or cannot be reached. */
export class ServiceCalls {
  readonly #url: string;
  readonly #token: string;
  readonly #onTrouble: (what: string) => void;

  constructor(url: string, token: string, onTrouble: (what: string) => void) {
    this.#url = url;
    this.#token = token;
    this.#onTrouble = onTrouble;
  }

  /** What the service answers, if it is what the contract says. */
  async ask<T>(schema: object, path: string, options: CallOptions = {}): Promise<T> {
    const answer = await this.askForAny<T>(schema, path, options);
    if (answer === undefined) throw notUnderstood(path, "it is empty");
    return answer;
  }

  /** The same, where the answer may be that there is nothing. */
  async askForAny<T>(schema: object, path: string, options: CallOptions = {}): Promise<T | undefined> {
    const answer = await this.call(path, options);
    if (answer.status === 204) return undefined;
    const read = parseJson(await textOf(answer));
    if (read === undefined) throw notUnderstood(path, "it is no JSON");
    const why = whyInvalid(schema, read.value);
    if (why !== undefined) throw notUnderstood(path, why);
    return read.value as T;
  }

  /** Files that the service sends. */
  async files(path: string, options: CallOptions = {}): Promise<AsyncIterable<Uint8Array>> {
    return bounded(await this.call(path, options), maxFilesBytes);
  }

  /** Retries until the service answers; throws a ServiceRefusal, or the signal's reason. */
  async call(path: string, options: CallOptions = {}): Promise<Response> {
    let isReported = false;
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
      options.signal?.throwIfAborted();
      const { answer, trouble } = await this.#try(path, options);
      if (answer?.ok) return answer;
      if (answer !== undefined && answer.status !== 429 && answer.status < 500)
        throw new ServiceRefusal(answer.status, await detailOf(answer));
      if (!isReported) this.#onTrouble(trouble ?? `${this.#url} answers ${answer?.status}; trying again.`);
      isReported = true;
      const askedMs = readRetryAfter(answer?.headers.get("retry-after") ?? undefined, Date.now()) ?? 0;
      await answer?.body?.cancel();
      await pause(Math.min(Math.max(pauseMs, askedMs), maxPauseMs), options.signal);
    }
  }

  /** Some paths are the service's own words. */
  #addressOf(path: string): string {
    const address = URL.parse(this.#url + path);
    if (path.startsWith("/") && address?.origin === new URL(this.#url).origin) return address.href;
    throw new ServiceRefusal(400, `'${path}' is not an address of the service.`);
  }

  async #try(path: string, { method = "GET", json, bytes, signal }: CallOptions) {
    const body = json === undefined ? bytes : JSON.stringify(json);
    const address = this.#addressOf(path);
    try {
      const answer = await fetch(address, {
        method,
        // The service must not reach other addresses of this network by way of the worker.
        redirect: "manual",
        headers: {
          authorization: `Bearer ${this.#token}`,
          ...(json !== undefined && { "content-type": "application/json" }),
          ...(bytes !== undefined && { "content-type": "application/octet-stream" }),
        },
        ...(body !== undefined && { body }),
        ...(signal !== undefined && { signal }),
      });
      return { answer };
    } catch (error) {
      signal?.throwIfAborted();
      const { cause, message } = error as Error & { cause?: Error };
      return { trouble: `${this.#url} cannot be reached (${cause?.message ?? message}); trying again.` };
    }
  }
}

function notUnderstood(path: string, why: string): ServiceRefusal {
  const message = `The answer to ${path} is not understood, because ${why}. Do the service and this worker have the same version?`;
  return new ServiceRefusal(502, message);
}

const ajv = createAjv({ strict: false, validateSchema: false }, ["date-time"]);

/** Why a value is not what the contract says. Its schemas are compiled when they are first used. */
export function whyInvalid(schema: object, value: unknown): string | undefined {
  const validate = ajv.compile(schema);
  if (validate(value)) return undefined;
  const [first] = validate.errors ?? [];
  return `${first?.instancePath.slice(0, 200) || "it"} ${first?.message ?? "is refused"}`;
}

async function detailOf(answer: Response): Promise<string> {
  if (answer.status >= 300 && answer.status < 400)
    return `The service answers ${answer.status} and names another address. Give that one with --url.`;
  const problem = await textOf(answer)
    .then((text) => parseJson(text)?.value as { readonly [Name in keyof Problem]?: unknown } | null | undefined)
    .catch(() => undefined);
  const detail = problem?.detail;
  return typeof detail === "string" ? detail : `The service answers ${answer.status}.`;
}

function textOf(answer: Response): Promise<string> {
  return readWholeAnswer(answer, { maxBytes: maxAnswerBytes, tooLong: () => tooLong(answer, maxAnswerBytes) });
}

/** Whatever the service sends, it fills neither memory nor disk of this machine. */
async function* bounded(answer: Response, maxBytes: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLong(answer, maxBytes);
    yield chunk;
  }
}

function tooLong({ status }: Response, maxBytes: number): ServiceRefusal {
  return new ServiceRefusal(status, `The service sends more than ${maxBytes} bytes.`);
}
