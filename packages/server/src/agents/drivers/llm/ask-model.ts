import type { LanguageModelMiddleware, ModelMessage, ToolSet } from "ai";
import { JsonMeasure } from "../../../platform/bounded-json.ts";
import { readRetryAfter } from "../../../platform/network/index.ts";
import { oneLine } from "../../../platform/one-line.ts";
import type { Turn } from "./history.ts";
import { ModelError } from "./model-error.ts";
import type { Tool } from "./tools/tool.ts";

export interface ModelEndpoint {
  readonly baseUrl: string;
  readonly model: string;
  readonly key: string | undefined;
  readonly maxOutputTokens: number | undefined;
  readonly fetch: typeof globalThis.fetch;
}

export interface Question {
  readonly instructions: string;
  readonly prompt: string;
  readonly turns: readonly Turn[];
  readonly tools: readonly Tool[];
}

export interface ModelAnswer {
  readonly text: string;
  readonly calls: readonly AskedCall[];
  readonly ending: "complete" | "cut off" | "refused";
  /** Undefined: not reported. */
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

/** Far more than a model makes at once; the run performs the first of them and refuses the others. */
const maxCallsOfAnswer = 256;

/** Names and ids of all calls of an answer: they are sent back with each question that follows. */
const maxNamesLength = 64 * 1024;

/** Far more than tools take. */
const maxInputLength = 8 * 1024 * 1024;

/**
 * Refuses inputs of tools that take long to parse, before the library does that. They are texts in events, and one may
 * be told by many.
 */
const boundedInputs: LanguageModelMiddleware = {
  wrapStream: async ({ doStream }) => {
    const answer = await doStream();
    const measure = new JsonMeasure();
    let length = 0;
    const check = new TransformStream<Part, Part>({
      transform(part, controller) {
        if (part.type === "tool-call") {
          length += part.input.length;
          if (length > maxInputLength || measure.add(part.input))
            throw new ModelError("model_answer", "The model asked for tools with inputs that are too large.");
          measure.endLine();
        }
        controller.enqueue(part);
      },
    });
    return { ...answer, stream: answer.stream.pipeThrough(check) };
  },
};

type Stream = Awaited<
  ReturnType<Parameters<NonNullable<LanguageModelMiddleware["wrapStream"]>>[0]["doStream"]>
>["stream"];
type Part = Stream extends ReadableStream<infer Each> ? Each : never;

/** Asks a model once and reads its answer to the end; throws a ModelError, or the signal's reason. */
export async function askModel(endpoint: ModelEndpoint, question: Question, signal: AbortSignal): Promise<ModelAnswer> {
  // Loaded when first needed: most installations have no model of their own.
  const [{ streamText, wrapLanguageModel }, { createOpenAICompatible }] = await Promise.all([
    import("ai"),
    import("@ai-sdk/openai-compatible"),
  ]);
  const provider = createOpenAICompatible({
    name: "model",
    baseURL: endpoint.baseUrl,
    includeUsage: true,
    fetch: endpoint.fetch,
    ...(endpoint.key !== undefined && { apiKey: endpoint.key }),
  });
  const { stream } = streamText({
    model: wrapLanguageModel({ model: provider.chatModel(endpoint.model), middleware: boundedInputs }),
    instructions: question.instructions,
    messages: messagesOf(question),
    tools: await toolSet(question.tools),
    maxRetries: 0,
    abortSignal: signal,
    ...(endpoint.maxOutputTokens !== undefined && { maxOutputTokens: endpoint.maxOutputTokens }),
    // By default the library prints errors.
    onError: () => {},
  });
  const reader = new AnswerReader();
  try {
    for await (const part of stream) {
      if (part.type === "error") throw part.error;
      if (part.type === "tool-input-start") reader.expectCall();
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
  #expectedCalls = 0;
  #namesLength = 0;

  /** Before the calls are complete: the library takes them all up at once, and thousands hold up the event loop. */
  expectCall(): void {
    this.#expectedCalls += 1;
    if (this.#expectedCalls > maxCallsOfAnswer)
      throw new ModelError("model_answer", `The model asked for more than ${maxCallsOfAnswer} tool calls at once.`);
  }

  addCall({ toolCallId: id, toolName: name, input }: { toolCallId: string; toolName: string; input: unknown }): void {
    this.#namesLength += id.length + name.length;
    if (this.#namesLength > maxNamesLength)
      throw new ModelError("model_answer", "The model asked for tools by names or ids that are too long.");
    const isObject = typeof input === "object" && input !== null && !Array.isArray(input);
    const problem = isObject ? undefined : "The tool's input is not a JSON object.";
    this.#calls.push({ id, name, input: isObject ? (input as Record<string, unknown>) : {}, problem });
  }

  read(): ModelAnswer {
    const { finishReason, rawFinishReason, usage } = this.finish ?? {};
    // Without a finish reason the answer broke off, or was not a model's at all.
    if (rawFinishReason === undefined)
      throw new ModelError("model_answer", "The model's answer is invalid or broke off.", { isTemporary: true });
    return {
      text: this.text,
      calls: this.#calls,
      ending: finishReason === "length" ? "cut off" : finishReason === "content-filter" ? "refused" : "complete",
      inputTokens: usage?.inputTokens,
      outputTokens: usage?.outputTokens,
    };
  }
}

function messagesOf({ prompt, turns }: Question): ModelMessage[] {
  return [{ role: "user", content: prompt }, ...turns.flatMap(messagesOfTurn)];
}

function messagesOfTurn({ text, calls }: Turn): ModelMessage[] {
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

/** Reads the error's fields, not its class: errors come from fetch, from streams and from the library. */
function readError(error: unknown): ModelError {
  const ours = findModelError(error);
  if (ours !== undefined) return ours;
  const { name, statusCode, responseHeaders, message } = error as {
    name?: string;
    statusCode?: number;
    responseHeaders?: Record<string, string>;
    message?: string;
  };
  const text = oneLine(String(message ?? error), 500);
  // It quotes the whole answer, and then what is wrong on many lines.
  if (name === "AI_TypeValidationError" || error instanceof TypeError)
    return new ModelError("model_answer", "The model's answer has values of other types than the protocol says.", {
      isTemporary: true,
    });
  if (statusCode === undefined)
    return new ModelError("model_unavailable", `The model cannot be asked: ${text}`, { isTemporary: true });
  if (statusCode < 300)
    return new ModelError("model_answer", `The model's answer cannot be read: ${text}`, { isTemporary: true });
  if (statusCode === 413 || /context.{0,20}(length|window|size)|too many tokens|maximum context/i.test(text))
    return new ModelError("model_context", `The model cannot take so much at once: ${text}`);
  const isTemporary = statusCode === 408 || statusCode === 429 || statusCode >= 500;
  const retryAfterMs = readRetryAfter(responseHeaders?.["retry-after"], Date.now());
  const code = isTemporary ? "model_unavailable" : "model_rejected";
  return new ModelError(code, `The model answered with status ${statusCode}: ${text}`, { isTemporary, retryAfterMs });
}

/** The library wraps what our fetch throws. */
function findModelError(error: unknown): ModelError | undefined {
  for (let each = error; each instanceof Error; each = each.cause) if (each instanceof ModelError) return each;
  return undefined;
}
