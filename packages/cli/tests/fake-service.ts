import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { EventData, EventName, EventRecord, Project } from "@slipway/contract";
import { onTestFinished } from "vitest";

export const projectId = "proj_01kaw3v9t2h5m8q1x7zc";
const path = `/api/v1/projects/${projectId}`;

interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

type Answer = (asked: Asked) => { readonly status?: number; readonly type?: string; readonly body: unknown };

/** A service with one project, whose story the test tells. It speaks HTTP as the real one does, and decides nothing. */
export class FakeService {
  readonly asked: Asked[] = [];
  readonly #events: EventRecord[] = [];
  readonly #streams = new Set<ServerResponse>();
  readonly #waits = new Set<() => void>();
  readonly #answers = new Map<string, Answer>();
  #version = 1;
  url = "";
  /** What a dry run says, as far as anybody asks. */
  plan: { unmet: object[]; roles: object[]; secrets: object[]; preflight?: object[]; estimate?: object } = {
    unmet: [],
    roles: [],
    secrets: [],
  };
  project: Project = {
    project_id: projectId,
    name: "Shop",
    status: "specification",
    progress: 0,
    current_phase: "specification",
    agents: {},
    created_at: "2026-11-15T09:30:00.000Z",
    updated_at: "2026-11-15T09:30:00.000Z",
    application_id: "app_1",
    document_id: "shop",
    outcome_type: "api",
    environment: null,
    waiting_for: null,
    checks: null,
    error: null,
  };

  /** The variables by which the command finds it. */
  get env(): NodeJS.ProcessEnv {
    return { SLIPWAY_URL: this.url, SLIPWAY_TOKEN: "the-token", TZ: "UTC" };
  }

  /** Answers a request, named as `POST /cancel` of the project or by its whole path. */
  answer(request: string, answer: Answer | unknown): this {
    const [method, below] = request.split(" ") as [string, string];
    const key = `${method} ${below.startsWith("/api") ? below : path + below}`;
    this.#answers.set(key, typeof answer === "function" ? (answer as Answer) : () => ({ body: answer }));
    return this;
  }

  /** Something happens to the project. */
  tell<N extends EventName>(event: N, data: EventData<N>, change: Partial<Project> = {}): this {
    this.change(change);
    const sequence = this.#events.length + 1;
    const timestamp = new Date(Date.parse("2026-11-15T09:30:00Z") + sequence * 1000).toISOString();
    const record = { event_id: `evt_${sequence}`, sequence, event, timestamp, project_id: projectId, data };
    this.#events.push(record);
    for (const stream of this.#streams) stream.write(frameOf(record));
    return this;
  }

  /** The project changes, and nothing else tells so. */
  change(change: Partial<Project>): this {
    this.project = { ...this.project, ...change };
    this.#version++;
    for (const wake of this.#waits) wake();
    return this;
  }

  get events(): readonly EventRecord[] {
    return this.#events;
  }

  /** Cuts every stream, as a service that restarts. */
  cutStreams(): void {
    for (const stream of this.#streams) stream.destroy();
  }

  async listen(): Promise<this> {
    const server = createServer(async (request, response) => {
      const { method = "", url = "", headers } = request;
      this.#respond({ method, url, headers, body: await text(request) }, response);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return this;
  }

  #respond(asked: Asked, response: ServerResponse) {
    this.asked.push(asked);
    const { method, url, headers } = asked;
    const [where = ""] = url.split("?");
    const known = this.#answers.get(`${method} ${where}`)?.(asked);
    if (known) {
      const headers = known.type === undefined ? {} : { "content-type": known.type };
      return send(response, known.status ?? 200, known.body, headers);
    }
    if (where === "/readyz") return send(response, 200, { status: "ready" });
    if (headers.authorization !== "Bearer the-token") return refuse(response, 401, "unauthenticated");
    if (method === "POST" && url.includes("dry_run=true")) return send(response, 200, { phases: [], ...this.plan });
    if (method === "POST" && where === "/api/v1/projects") return send(response, 201, { project_id: projectId });
    if (method === "GET" && where === path) return this.#read(headers, response);
    if (method === "GET" && where === `${path}/promotions`) return send(response, 200, { promotions: [] });
    if (method === "GET" && where === `${path}/events`) return this.#showEvents(headers, response);
    refuse(response, 404, "not_found");
  }

  #read(headers: IncomingHttpHeaders, response: ServerResponse) {
    const answer = () => send(response, 200, this.project, { etag: `"${this.#version}"` });
    if (headers["if-none-match"] !== `"${this.#version}"`) return answer();
    const wake = () => {
      this.#waits.delete(wake);
      answer();
    };
    this.#waits.add(wake);
  }

  #showEvents(headers: IncomingHttpHeaders, response: ServerResponse) {
    if (headers.accept !== "text/event-stream") return send(response, 200, { events: this.#events, next_cursor: null });
    response.writeHead(200, { "content-type": "text/event-stream" }).write("retry: 2000\n\n");
    const after = Number(headers["last-event-id"] ?? 0);
    for (const event of this.#events) if (event.sequence > after) response.write(frameOf(event));
    this.#streams.add(response);
    response.on("close", () => this.#streams.delete(response));
  }
}

function frameOf(event: EventRecord): string {
  return `id: ${event.sequence}\nevent: ${event.event}\ndata: ${JSON.stringify(event)}\n\n`;
}

function send(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  const type = status < 400 ? "application/json" : "application/problem+json";
  response.writeHead(status, { "content-type": type, ...headers }).end(JSON.stringify(body));
}

function refuse(response: ServerResponse, status: number, code: string): void {
  send(response, status, problem(status, code, `It is ${code}.`));
}

export function problem(status: number, code: string, detail: string) {
  return { type: `urn:slipway:problem:${code}`, title: code, status, detail, instance: "/", code, request_id: "r" };
}
