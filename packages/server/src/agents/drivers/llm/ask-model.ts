import type { ModelMessage, ToolSet } from "ai";
import { readRetryAfter } from "../../../platform/network/index.ts";
import type { BatchCommit } from "./history.ts";
import { ModelError } from "./model-error.ts";
import type { Tool } from "./tools/tool.ts";

/** A model, and the way to it. */
export interface ModelEnd {
  readonly baseUrl: string;
  readonly model: string;
  readonly key: string | undefined;
  readonly maxOutputTokens: number | undefined;
  readonly fetch: typeof globalThis.fetch;
}

export interface Question {
  readonly instructions: string;
  readonly prompt: string;
  readonly turns: readonly BatchCommit[];
  readonly tools: readonly Tool[];
}

export interface ModelAnswer {
  readonly text: string;
  readonly calls: readonly AskedCall[];
  readonly ending: "said" | "cut off" | "refused";
  /** Undefined: it does not say. */
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
}

export interface AskedCall {
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Why the call cannot be made as it stands. */
  readonly problem: string | undefined;
}

/** Asks a model once, and reads its answer to the end; fails with a ModelError, or because the signal says so. */
export async function askModel(end: ModelEnd, question: Question, signal: AbortSignal): Promise<ModelAnswer> {
  // Loaded when first needed: most installations have no model of their own.
  const [{ streamText }, { createOpenAICompatible }] = await Promise.all([
    import("ai"),
    import("@ai-sdk/openai-compatible"),
  ]);
  const provider = createOpenAICompatible({
    name: "model",
    baseURL: end.baseUrl,
    includeUsage: true,
    fetch: end.fetch,
    ...(end.key !== undefined && { apiKey: end.key }),
  });
  const { stream } = streamText({
    model: provider.chatModel(end.model),
    instructions: question.instructions,
    messages: messagesOf(question),
    tools: await toolSet(question.tools),
    maxRetries: 0,
    abortSignal: signal,
    ...(end.maxOutputTokens !== undefined && { maxOutputTokens: end.maxOutputTokens }),
    // Otherwise it is printed.
    onError: () => {},
  });
  const reader = new AnswerReader();
  try {
    for await (const part of stream) {
      if (part.type === "error") throw part.error;
      if (part.type === "text-delta") reader.text += part.text;
      if (part.type === "tool-call") reader.addCall(part);
      if (part.type === "finish-step") reader.finish = part;
    }
  } catch (error) {
    signal.throwIfAborted();
    throw readError(error);
  }
  signal.throwIfAborted();
  return reader.read();
}

interface Finish {
  readonly finishReason: string;
  readonly rawFinishReason: string | undefined;
  readonly usage: { readonly inputTokens: number | undefined; readonly outputTokens: number | undefined };
}

class AnswerReader {
  text = "";
  finish: Finish | undefined;
  readonly #calls: AskedCall[] = [];

  addCall({ toolCallId: id, toolName: name, input }: { toolCallId: string; toolName: string; input: unknown }): void {
    const isObject = typeof input === "object" && input !== null && !Array.isArray(input);
    const problem = isObject ? undefined : "The tool's input is no JSON object.";
    this.#calls.push({ id, name, input: isObject ? (input as Record<string, unknown>) : {}, problem });
  }

  read(): ModelAnswer {
    const { finishReason, rawFinishReason, usage } = this.finish ?? {};
    // Without its end it is a piece of an answer, or no answer of a model at all.
    if (rawFinishReason === undefined)
      throw new ModelError("model_answer", "The model's answer is not one, or broke off.", { isPassing: true });
    return {
      text: this.text,
      calls: this.#calls,
      ending: finishReason === "length" ? "cut off" : finishReason === "content-filter" ? "refused" : "said",
      inputTokens: usage?.inputTokens,
      outputTokens: usage?.outputTokens,
    };
  }
}

function messagesOf({ prompt, turns }: Question): ModelMessage[] {
  return [{ role: "user", content: prompt }, ...turns.flatMap(messagesOfTurn)];
}

function messagesOfTurn({ text, calls }: BatchCommit): ModelMessage[] {
  const said = text === "" ? [] : [{ type: "text" as const, text }];
  const asked = calls.map(({ id, name, input }) => ({
    type: "tool-call" as const,
    toolCallId: id,
    toolName: name,
    input,
  }));
  const results = calls.map(({ id, name, result, isRefused }) => ({
    type: "tool-result" as const,
    toolCallId: id,
    toolName: name,
    output: { type: isRefused ? ("error-text" as const) : ("text" as const), value: result },
  }));
  return [
    { role: "assistant", content: [...said, ...asked] },
    { role: "tool", content: results },
  ];
}

async function toolSet(tools: readonly Tool[]): Promise<ToolSet> {
  const { jsonSchema } = await import("ai");
  const set: ToolSet = {};
  for (const { name, description, inputs } of tools) {
    const entries = Object.entries(inputs);
    const properties = entries.map(([key, { type, description }]) => [key, { type, description }] as const);
    const required = entries.flatMap(([key, { isOptional }]) => (isOptional ? [] : [key]));
    const schema = { type: "object" as const, properties: Object.fromEntries(properties), required };
    set[name] = { description, inputSchema: jsonSchema(schema) };
  }
  return set;
}

/** By its form and not its class: errors come from fetch, from streams and from the library. */
function readError(error: unknown): ModelError {
  const ours = findModelError(error);
  if (ours !== undefined) return ours;
  const { statusCode, responseHeaders, message } = error as {
    statusCode?: number;
    responseHeaders?: Record<string, string>;
    message?: string;
  };
  const told = String(message ?? error).slice(0, 500);
  if (statusCode === undefined)
    return new ModelError("model_unavailable", `The model cannot be asked: ${told}`, { isPassing: true });
  if (statusCode < 300)
    return new ModelError("model_answer", `The model's answer cannot be read: ${told}`, { isPassing: true });
  if (statusCode === 413 || /context.{0,20}(length|window|size)|too many tokens|maximum context/i.test(told))
    return new ModelError("model_context", `The model cannot take so much at once: ${told}`);
  const isPassing = statusCode === 408 || statusCode === 429 || statusCode >= 500;
  const retryAfterMs = readRetryAfter(responseHeaders?.["retry-after"], Date.now());
  const code = isPassing ? "model_unavailable" : "model_rejected";
  return new ModelError(code, `The model answered with status ${statusCode}: ${told}`, { isPassing, retryAfterMs });
}

/** What was thrown on the way to the model comes back wrapped. */
function findModelError(error: unknown): ModelError | undefined {
  for (let each = error; each instanceof Error; each = each.cause) if (each instanceof ModelError) return each;
  return undefined;
}
