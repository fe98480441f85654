import { once } from "node:events";
import { createConnection, type Socket } from "node:net";
import { LineReader } from "./line-reader.ts";
import {
  type DeploymentStatus,
  type PrepareRequest,
  type PrepareResult,
  type ReleaseRef,
  type RouteRequest,
  type Supervision,
  type SupervisorEvent,
  SupervisorGone,
} from "./supervision.ts";
import {
  type SupervisorMessage,
  type SupervisorRequest,
  type SupervisorVerb,
  supervisorProtocol,
} from "./supervisor-socket.ts";

interface ClientDeps {
  readonly onEvent: (event: SupervisorEvent) => void;
  /** Called once when the supervisor is gone. */
  readonly onClosed: () => void;
  /** Called when the supervisor is there, and does not answer any more. */
  readonly onSilent: () => void;
  /** How often it is asked for a sign of life while it owes an answer. */
  readonly beatMs?: number;
}

const usualBeatMs = 10_000;
/** Counted, for after a pause of the whole machine only one is due. */
const maxMissedBeats = 6;

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** The supervisor in its own process, as the service reaches it. */
export class SupervisorClient implements Supervision {
  readonly #socket: Socket;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  /** Whether it has answered: who goes away before was never there. */
  #isKnown = false;
  readonly #beat: NodeJS.Timeout;
  #missedBeats = 0;

  private constructor(socket: Socket, { onEvent, onClosed, onSilent, beatMs = usualBeatMs }: ClientDeps) {
    this.#socket = socket;
    const reader = new LineReader((line) => {
      const message = JSON.parse(line) as SupervisorMessage;
      if ("event" in message) return onEvent(message.event);
      const waiting = this.#waiting.get(message.id);
      this.#waiting.delete(message.id);
      if ("error" in message) waiting?.reject(new Error(message.error));
      else waiting?.resolve(message.result);
    });
    socket.setEncoding("utf8");
    socket.on("data", (text: string) => {
      this.#missedBeats = 0;
      try {
        reader.push(text);
      } catch {
        socket.destroy();
      }
    });
    socket.on("error", () => undefined);
    this.#beat = setInterval(() => this.#askForLife(onSilent), beatMs).unref();
    socket.once("close", () => {
      clearInterval(this.#beat);
      this.#rejectAll("The supervisor is gone.");
      if (this.#isKnown) onClosed();
    });
  }

  /** One that is frozen still takes connections and requests, and would be waited for without end. */
  #askForLife(onSilent: () => void): void {
    if (this.#waiting.size === 0) return;
    this.#missedBeats += 1;
    this.#send({ id: 0, verb: "hello" });
    if (this.#missedBeats <= maxMissedBeats) return;
    onSilent();
    this.#rejectAll("The supervisor of deployed software does not answer.");
    this.#socket.destroy();
  }

  #rejectAll(why: string): void {
    for (const { reject } of this.#waiting.values()) reject(new SupervisorGone(why));
    this.#waiting.clear();
  }

  /** Connects to a supervisor that runs; undefined if none does. One of another version is told to end. */
  static async connect(
    path: string,
    { signal, ...deps }: ClientDeps & { /** Aborted when nobody waits for it. */ readonly signal?: AbortSignal },
  ): Promise<SupervisorClient | undefined> {
    const socket = createConnection({ path, ...(signal && { signal }) });
    try {
      await once(socket, "connect");
    } catch {
      return undefined;
    }
    const client = new SupervisorClient(socket, deps);
    // One that is being killed still takes the connection, and ends it at once.
    const hello = (await client.#call("hello").catch(() => undefined)) as { protocol: number } | undefined;
    if (hello === undefined) return undefined;
    client.#isKnown = true;
    if (hello.protocol === supervisorProtocol) return client;
    await client.close().catch(() => undefined);
    return undefined;
  }

  /** Leaves the supervisor to itself: what it keeps alive goes on. */
  leave(): void {
    clearInterval(this.#beat);
    this.#socket.removeAllListeners("close");
    this.#socket.destroy();
  }

  list() {
    return this.#call("list") as Promise<readonly DeploymentStatus[]>;
  }

  prepare(request: PrepareRequest, signal?: AbortSignal) {
    return this.#call("prepare", request, signal) as Promise<PrepareResult>;
  }

  route(request: RouteRequest) {
    return this.#call("route", request) as Promise<{ readonly port: number }>;
  }

  scale(request: ReleaseRef & { readonly replicas: number }, signal?: AbortSignal) {
    return this.#call("scale", request, signal) as Promise<PrepareResult>;
  }

  restart(request: ReleaseRef, signal?: AbortSignal) {
    return this.#call("restart", request, signal) as Promise<PrepareResult>;
  }

  async retire(request: ReleaseRef & { readonly afterMs: number }) {
    await this.#call("retire", request);
  }

  async stop(deploymentId: string) {
    await this.#call("stop", deploymentId);
  }

  async close() {
    await this.#call("close");
  }

  async #call(verb: SupervisorVerb | "hello", argument?: unknown, signal?: AbortSignal): Promise<unknown> {
    signal?.throwIfAborted();
    this.#lastId += 1;
    const id = this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#waiting.set(id, { resolve, reject });
    const abandon = () => this.#send({ id: 0, verb: "abandon", argument: id });
    signal?.addEventListener("abort", abandon);
    if (this.#socket.destroyed) reject(new SupervisorGone("The supervisor is gone."));
    else this.#send({ id, verb, argument });
    try {
      return await promise;
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    } finally {
      signal?.removeEventListener("abort", abandon);
      this.#waiting.delete(id);
    }
  }

  #send(request: SupervisorRequest): void {
    if (this.#socket.writable) this.#socket.write(`${JSON.stringify(request)}\n`);
  }
}
