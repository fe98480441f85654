import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { AgentCard, type Message, type Part, Role, TaskState } from "@a2a-js/sdk";
import {
  AgentEvent,
  type AgentExecutor,
  DefaultRequestHandler,
  InMemoryTaskStore,
  JsonRpcTransportHandler,
  ServerCallContext,
} from "@a2a-js/sdk/server";

/** What the agent does with a task, step by step. */
type A2aStep =
  | { readonly status: string }
  | { readonly artifact: readonly Part[] }
  | { readonly end: "failed" | "rejected" | "input required" | "auth required"; readonly says?: string }
  /** Answers with a message and no task. */
  | { readonly answer: readonly Part[] }
  | { readonly until: Promise<unknown> };

export interface A2aScript {
  readonly steps?: readonly A2aStep[];
  readonly isStreaming?: boolean;
  /** What must be in `Authorization`. */
  readonly key?: string;
  /** What there is instead of its card. */
  readonly card?: "none" | "garbage" | "leads elsewhere" | "of an older version";
  /** How often it is too busy to answer, at first. */
  readonly busy?: number;
  /** Requests that it never answers, by their method. */
  readonly deafTo?: string;
  /** Breaks every stream off after so many events. */
  readonly breaksStreamsAfter?: number;
  /** What it answers to every request but that for its card; `"id":0` becomes the id of the request. */
  readonly answers?: { readonly type: string; readonly body: string; readonly status?: number };
  /** Says in each event of a stream that it is about another task. */
  readonly renamesTasks?: boolean;
}

export interface ScriptedA2aAgent {
  readonly url: string;
  readonly messages: Message[];
  /** The methods that were called, in order. */
  readonly calls: string[];
  readonly cancelled: string[];
  close(): Promise<void>;
}

/** A text part; with a name, a file. */
export function text(value: string, { filename = "", mediaType = "text/plain" } = {}): Part {
  return { content: { $case: "text", value }, metadata: undefined, filename, mediaType };
}

export function bytes(value: Buffer, filename: string): Part {
  return { content: { $case: "raw", value }, metadata: undefined, filename, mediaType: "application/octet-stream" };
}

export function link(value: string, filename: string): Part {
  return { content: { $case: "url", value }, metadata: undefined, filename, mediaType: "" };
}

const ends = {
  failed: TaskState.TASK_STATE_FAILED,
  rejected: TaskState.TASK_STATE_REJECTED,
  "input required": TaskState.TASK_STATE_INPUT_REQUIRED,
  "auth required": TaskState.TASK_STATE_AUTH_REQUIRED,
} as const;

/** An agent on loopback, made with the protocol's own library. */
export async function startA2aAgent(script: A2aScript): Promise<ScriptedA2aAgent> {
  const messages: Message[] = [];
  const calls: string[] = [];
  const cancelled: string[] = [];
  let busy = script.busy ?? 0;
  const server = createServer(async (request, response) => {
    if (script.key !== undefined && request.headers.authorization !== `Bearer ${script.key}`)
      return void response.writeHead(401).end();
    if (busy > 0) {
      busy -= 1;
      return void response.writeHead(503, { "retry-after": "0" }).end();
    }
    if (request.method === "GET") return answerCard(script, card, response);
    const body = JSON.parse(await readText(request)) as { method: string; id: number };
    calls.push(body.method);
    if (script.deafTo === body.method) return;
    const { type, body: instead, status = 200 } = script.answers ?? {};
    if (type !== undefined)
      return void response
        .writeHead(status, { "content-type": type })
        .end(instead?.replace(/"id":0\b/, `"id":${body.id}`));
    const requestedVersion = String(request.headers["a2a-version"] ?? "");
    const answer = await handler.handle(body, new ServerCallContext({ requestedVersion }));
    await send(answer, response, script);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const card = cardOf(url, script);
  const executor = executorOf(script.steps ?? [], messages, cancelled);
  const handler = new JsonRpcTransportHandler(new DefaultRequestHandler(card, new InMemoryTaskStore(), executor));
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return { url, messages, calls, cancelled, close };
}

const about = {
  name: "Scripted",
  description: "Does as it is told.",
  version: "4.5.6",
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
};

function cardOf(url: string, { isStreaming = false, card }: A2aScript): AgentCard {
  return AgentCard.fromJSON({
    ...about,
    supportedInterfaces: [
      {
        url: card === "leads elsewhere" ? "http://127.0.0.2:1/" : `${url}/`,
        protocolBinding: "JSONRPC",
        protocolVersion: "1.0",
      },
    ],
    capabilities: { streaming: isStreaming },
  });
}

function answerCard({ card: instead }: A2aScript, card: AgentCard, response: ServerResponse): void {
  if (instead === "none") return void response.writeHead(404).end();
  response.setHeader("content-type", "application/json");
  const { url } = card.supportedInterfaces[0]!;
  const older = {
    ...about,
    protocolVersion: "0.3.0",
    url,
    preferredTransport: "JSONRPC",
    capabilities: {},
    skills: [],
  };
  if (instead === "of an older version") return void response.end(JSON.stringify(older));
  response.end(instead === "garbage" ? "<html>" : JSON.stringify(AgentCard.toJSON(card)));
}

function executorOf(steps: readonly A2aStep[], messages: Message[], cancelled: string[]): AgentExecutor {
  const contexts = new Map<string, string>();
  const message = (contextId: string, taskId: string, parts: readonly Part[]): Message => ({
    messageId: randomUUID(),
    contextId,
    taskId,
    role: Role.ROLE_AGENT,
    parts: [...parts],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  });
  return {
    execute: async ({ userMessage, taskId, contextId }, bus) => {
      messages.push(userMessage);
      contexts.set(taskId, contextId);
      const tell = (state: TaskState, says = "") => {
        const said = says === "" ? undefined : message(contextId, taskId, [text(says)]);
        const status = { state, message: said, timestamp: undefined };
        bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status, metadata: undefined }));
      };
      if (steps[0] !== undefined && "answer" in steps[0]) {
        bus.publish(AgentEvent.message(message(contextId, "", steps[0].answer)));
        return bus.finished();
      }
      const status = { state: TaskState.TASK_STATE_SUBMITTED, message: undefined, timestamp: undefined };
      bus.publish(
        AgentEvent.task({ id: taskId, contextId, status, artifacts: [], history: [userMessage], metadata: undefined }),
      );
      for (const step of steps) {
        if ("status" in step) tell(TaskState.TASK_STATE_WORKING, step.status);
        else if ("until" in step) await step.until;
        else if ("artifact" in step) {
          const about = {
            artifactId: randomUUID(),
            name: "the work",
            description: "",
            metadata: undefined,
            extensions: [],
          };
          const artifact = { ...about, parts: [...step.artifact] };
          bus.publish(
            AgentEvent.artifactUpdate({
              taskId,
              contextId,
              artifact,
              append: false,
              lastChunk: true,
              metadata: undefined,
            }),
          );
        } else if ("end" in step) {
          tell(ends[step.end], step.says);
          return bus.finished();
        }
      }
      if (!cancelled.includes(taskId)) tell(TaskState.TASK_STATE_COMPLETED);
      bus.finished();
    },
    cancelTask: async (taskId, bus) => {
      cancelled.push(taskId);
      const status = { state: TaskState.TASK_STATE_CANCELED, message: undefined, timestamp: undefined };
      bus.publish(
        AgentEvent.statusUpdate({ taskId, contextId: contexts.get(taskId) ?? "", status, metadata: undefined }),
      );
      bus.finished();
    },
  };
}

async function send(
  answer: unknown,
  response: ServerResponse,
  { breaksStreamsAfter: maxEvents = Number.POSITIVE_INFINITY, renamesTasks = false }: A2aScript,
): Promise<void> {
  if (!(Symbol.asyncIterator in (answer as object)))
    return void response.setHeader("content-type", "application/json").end(JSON.stringify(answer));
  response.setHeader("content-type", "text/event-stream");
  let sent = 0;
  for await (const event of answer as AsyncIterable<unknown>) {
    sent += 1;
    const isLast = sent === maxEvents;
    // Whoever no longer listens does not end the work.
    if (sent > maxEvents) continue;
    const text = JSON.stringify(event);
    const told = renamesTasks ? text.replaceAll(/"taskId":"[^"]*"/g, `"taskId":"other-${sent}"`) : text;
    response.write(`data: ${told}\n\n`, () => isLast && response.destroy());
  }
  response.end();
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
