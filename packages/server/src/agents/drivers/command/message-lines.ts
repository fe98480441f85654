import { costOf, countOf, type Fields, fieldsOf, listOf, textOf } from "./json-fields.ts";
import type { Reading, Used } from "./profile.ts";
import { toolCall, toolEnd } from "./tool-readings.ts";

/**
 * `--output-format stream-json` of Claude Code, and of Qwen Code, which took the format over. Read in the message parser of
 * claude-agent-sdk-python (for Claude Code 2.1.240) and in qwen-code 0.22.0, packages/cli/src/nonInteractive/types.ts.
 */
export function messageLines(dialect: Dialect): (line: Fields) => readonly Reading[] | undefined {
  return (line) => readLine(line, dialect);
}

interface Dialect {
  /** Tokens that came from a cache are not among the input tokens. */
  readonly isCachedApart: boolean;
}

function readLine(line: Fields, dialect: Dialect): readonly Reading[] | undefined {
  switch (line["type"]) {
    case "system":
      return readSystem(line);
    case "assistant":
      return readAssistant(line, dialect);
    case "user":
      return listOf(fieldsOf(line["message"])["content"]).flatMap((block) => readToolResult(fieldsOf(block)));
    case "result":
      return readResult(line, dialect);
    case "rate_limit_event": {
      const { status } = fieldsOf(line["rate_limit_info"]);
      return status === "rejected" ? [{ type: "status", text: "waiting: its rate limit is reached" }] : [];
    }
    case "stream_event":
    case "tool_progress":
    case "control_request":
    case "control_response":
      return [];
    default:
      return undefined;
  }
}

function readSystem(line: Fields): readonly Reading[] {
  switch (line["subtype"]) {
    case "init":
    case "session_start":
      return [{ type: "status", text: `at work with ${textOf(line["model"]) ?? "its default model"}` }];
    case "api_retry":
      return [{ type: "status", text: `asks its model again: ${textOf(line["error"]) ?? "no answer"}` }];
    case "compact_boundary":
      return [{ type: "status", text: "summarised what it has done so far" }];
    default:
      return [];
  }
}

function readAssistant(line: Fields, dialect: Dialect): readonly Reading[] {
  const message = fieldsOf(line["message"]);
  const blocks = listOf(message["content"]).map(fieldsOf);
  const error = textOf(line["error"]);
  if (error !== undefined) {
    const words = blocks.flatMap(({ text }) => textOf(text) ?? []).join(" ");
    return [{ type: "failure", message: `${error}: ${words}`, isFinal: false }];
  }
  const readings = blocks.flatMap((block) => readBlock(block));
  const id = textOf(message["id"]);
  return id === undefined ? readings : [...readings, usedOf({ message: id }, message["usage"], undefined, dialect)];
}

function readBlock({ type, text, id, name, input }: Fields): readonly Reading[] {
  const words = textOf(text);
  if (type === "text" && words !== undefined) return [{ type: "message", text: words }];
  if (type !== "tool_use" && type !== "server_tool_use") return [];
  return toolCall(textOf(id), textOf(name) ?? "tool", fieldsOf(input));
}

function readToolResult({ type, tool_use_id, content, is_error }: Fields): readonly Reading[] {
  if (type !== "tool_result") return [];
  const texts = typeof content === "string" ? [content] : listOf(content).map((part) => fieldsOf(part)["text"]);
  const words = texts.flatMap((text) => textOf(text) ?? []).join(" ");
  return [toolEnd(textOf(tool_use_id), is_error === true ? `failed: ${words}` : words)];
}

function readResult(line: Fields, dialect: Dialect): readonly Reading[] {
  const used = usedOf("run", line["usage"], costOf(line["total_cost_usd"]), dialect);
  // An answer of the API that is an error comes with the subtype "success".
  if (line["is_error"] !== true) return [used];
  const status = countOf(line["api_error_status"]);
  const words =
    textOf(line["result"]) ??
    textOf(fieldsOf(line["error"])["message"]) ??
    textOf(listOf(line["errors"]).join(" ")) ??
    textOf(line["subtype"])?.replaceAll("_", " ") ??
    "it does not say why";
  return [used, { type: "failure", message: status > 0 ? `${words} (status ${status})` : words, isFinal: true }];
}

/** All that goes in counts, from the cache too: other tools say no less. */
function usedOf(of: Used["of"], usage: unknown, costUsd: number | undefined, { isCachedApart }: Dialect): Used {
  const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens } = fieldsOf(usage);
  const cached = isCachedApart ? countOf(cache_creation_input_tokens) + countOf(cache_read_input_tokens) : 0;
  return {
    type: "used",
    of,
    inputTokens: countOf(input_tokens) + cached,
    outputTokens: countOf(output_tokens),
    costUsd,
  };
}
