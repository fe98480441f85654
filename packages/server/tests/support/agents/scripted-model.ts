import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What the model answers to one question. */
export type ModelStep =
  | {
      readonly text?: string;
      readonly calls?: readonly { readonly name: string; readonly input: unknown }[];
      readonly finishReason?: string;
      /** Left out: 100 in, 10 out. Null: it does not say. */
      readonly usage?: { readonly input: number; readonly output: number } | null;
    }
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string }
  /** Begins an answer and never ends it; or says nothing at all. */
  | { readonly hang: "at once" | "midway" }
  /** Breaks the connection in the middle of an answer. */
  | { readonly breakOff: true };

interface AskedQuestion {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  // biome-ignore lint/suspicious/noExplicitAny: what it was asked, as JSON; tests look where they like.
  readonly body: any;
}

export interface ScriptedModel {
  readonly baseUrl: string;
  readonly questions: AskedQuestion[];
  close(): Promise<void>;
}

/** Says what to answer to a question, the first being 0; nothing: that it is done. */
export type ModelScript = readonly ModelStep[] | ((question: AskedQuestion, index: number) => ModelStep | undefined);

/**
 * A model on loopback that answers as the script says, by any of the ways that agents ask: chat completions, streamed or
 * not, and responses.
 */
export async function startScriptedModel(script: ModelScript): Promise<ScriptedModel> {
  const questions: AskedQuestion[] = [];
  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? "/", "http://model").pathname;
    if (request.method === "GET") return answerList(path, response);
    const question = { path, headers: request.headers, body: await readJson(request) };
    questions.push(question);
    const index = questions.length - 1;
    const step = (typeof script === "function" ? script(question, index) : script[index]) ?? { text: "Done." };
    answer(step, question, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    questions,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function answerList(path: string, response: ServerResponse): void {
  response.setHeader("content-type", "application/json");
  if (path.endsWith("/models")) response.end(JSON.stringify({ object: "list", data: [{ id: "scripted" }] }));
  else response.writeHead(404).end("{}");
}

function answer(step: ModelStep, { path, body }: AskedQuestion, response: ServerResponse): void {
  if ("status" in step) {
    response.writeHead(step.status, { "content-type": "application/json", ...step.headers }).end(step.body ?? "{}");
    return;
  }
  if ("hang" in step && step.hang === "at once") return;
  const isStreamed = body.stream === true;
  response.setHeader("content-type", isStreamed ? "text/event-stream" : "application/json");
  if ("hang" in step || "breakOff" in step) {
    response.write(`data: ${JSON.stringify(chunk({ role: "assistant", content: "I" }))}\n\n`, () => {
      if ("breakOff" in step) response.destroy();
    });
    return;
  }
  if (path.endsWith("/responses")) for (const event of responseEvents(step)) writeEvent(response, event);
  else if (isStreamed) for (const data of completionChunks(step)) response.write(`data: ${data}\n\n`);
  else response.write(JSON.stringify(completion(step)));
  response.end();
}

type Said = Extract<ModelStep, { calls?: unknown }>;

function finishOf({ finishReason, calls = [] }: Said): string {
  return finishReason ?? (calls.length > 0 ? "tool_calls" : "stop");
}

function usageOf({ usage = { input: 100, output: 10 } }: Said) {
  if (usage === null) return undefined;
  const { input, output } = usage;
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
}

function toolCalls({ calls = [] }: Said) {
  return calls.map(({ name, input }, index) => ({
    index,
    id: `call_${crypto.randomUUID()}`,
    type: "function",
    function: { name, arguments: typeof input === "string" ? input : JSON.stringify(input) },
  }));
}

function chunk(delta: object, finish_reason: string | null = null) {
  const about = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "scripted" };
  return { ...about, choices: [{ index: 0, delta, finish_reason }] };
}

function completionChunks(step: Said): string[] {
  const calls = toolCalls(step);
  const usage = usageOf(step);
  return [
    ...(step.text === undefined ? [] : [chunk({ role: "assistant", content: step.text })]),
    ...(calls.length === 0 ? [] : [chunk({ role: "assistant", tool_calls: calls })]),
    chunk({}, finishOf(step)),
    ...(usage === undefined ? [] : [{ ...chunk({}), choices: [], usage }]),
    "[DONE]",
  ].map((each) => (typeof each === "string" ? each : JSON.stringify(each)));
}

function completion(step: Said) {
  const calls = toolCalls(step);
  const message = {
    role: "assistant",
    content: step.text ?? null,
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  const choices = [{ index: 0, message, finish_reason: finishOf(step) }];
  return { id: "chatcmpl-1", object: "chat.completion", created: 1, model: "scripted", choices, usage: usageOf(step) };
}

/** As the responses API streams it, as far as agents read it. */
function responseEvents(step: Said): { type: string }[] {
  const id = `resp_${crypto.randomUUID()}`;
  const items = [
    ...(step.text === undefined ? [] : [messageItem(step.text)]),
    ...toolCalls(step).map((call) => ({ type: "function_call", id: call.id, call_id: call.id, ...call.function })),
  ];
  const said = usageOf(step) ?? { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
  const usage = {
    input_tokens: said.prompt_tokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: said.completion_tokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: said.total_tokens,
  };
  const whole = { id, object: "response", model: "scripted", output: items };
  return [
    { type: "response.created", response: { ...whole, status: "in_progress", output: [] } },
    ...items.flatMap((item, output_index) => [
      { type: "response.output_item.added", output_index, item },
      { type: "response.output_item.done", output_index, item },
    ]),
    { type: "response.completed", response: { ...whole, status: "completed", usage } },
  ] as { type: string }[];
}

function messageItem(text: string) {
  const content = [{ type: "output_text", text, annotations: [] }];
  return { type: "message", id: `msg_${crypto.randomUUID()}`, role: "assistant", status: "completed", content };
}

function writeEvent(response: ServerResponse, event: { type: string }): void {
  response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const part of request) chunks.push(part as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString());
}
