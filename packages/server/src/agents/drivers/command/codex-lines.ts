import { countOf, type Fields, fieldsOf, listOf, textOf } from "./json-fields.ts";
import type { Reading } from "./profile.ts";

/** `codex exec --json`, as in codex-rs/exec/src/exec_events.rs of August 2026 (343074d). It says no cost. */
export function readCodexLine(line: Fields): readonly Reading[] | undefined {
  switch (line["type"]) {
    case "thread.started":
      return [{ type: "status", text: "at work" }];
    case "turn.started":
      return [];
    case "item.started":
    case "item.updated":
      return readItem(fieldsOf(line["item"]), false);
    case "item.completed":
      return readItem(fieldsOf(line["item"]), true);
    case "turn.completed": {
      // Of the whole thread; cached tokens are among the input, reasoning among the output.
      const { input_tokens, output_tokens } = fieldsOf(line["usage"]);
      const tokens = { inputTokens: countOf(input_tokens), outputTokens: countOf(output_tokens) };
      return [{ type: "used", of: "run", ...tokens, costUsd: undefined }];
    }
    case "turn.failed":
      return [failure(fieldsOf(line["error"])["message"], true)];
    case "error":
      // Comes before each new try too; a turn that failed says so.
      return [failure(line["message"], false)];
    default:
      return undefined;
  }
}

function readItem(item: Fields, isDone: boolean): readonly Reading[] | undefined {
  const id = textOf(item["id"]);
  const isFailed = item["status"] === "failed" || item["status"] === "declined";
  const tool = (name: string, detail: unknown): readonly Reading[] => {
    const text = textOf(detail) ?? "";
    return [{ type: "tool", id, name, detail: isDone && isFailed ? `failed: ${text}` : text, isDone }];
  };
  switch (item["type"]) {
    case "agent_message": {
      const text = textOf(item["text"]);
      return isDone && text !== undefined ? [{ type: "message", text }] : [];
    }
    case "reasoning":
      return [];
    case "command_execution":
      return tool("command", item["command"]);
    case "file_change":
      return isDone && !isFailed ? listOf(item["changes"]).flatMap((change) => readChange(fieldsOf(change))) : [];
    case "mcp_tool_call":
      return tool(`${textOf(item["server"]) ?? "mcp"}.${textOf(item["tool"]) ?? "tool"}`, "");
    case "collab_tool_call":
      return tool(textOf(item["tool"]) ?? "agent", item["prompt"]);
    case "web_search":
      return tool("web_search", item["query"]);
    case "todo_list":
      return [{ type: "plan", entries: listOf(item["items"]).flatMap((todo) => textOf(fieldsOf(todo)["text"]) ?? []) }];
    case "error": {
      // A warning: what ends a turn is an event of its own.
      const text = textOf(item["message"]);
      return text === undefined ? [] : [{ type: "status", text }];
    }
    default:
      return undefined;
  }
}

function readChange({ path, kind }: Fields): readonly Reading[] {
  const at = textOf(path);
  return at === undefined ? [] : [{ type: "file", path: at, change: kind === "delete" ? "removed" : "written" }];
}

function failure(message: unknown, isFinal: boolean): Reading {
  return { type: "failure", message: textOf(message) ?? "it does not say why", isFinal };
}
