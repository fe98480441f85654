import { costOf, countOf, type Fields, fieldsOf, textOf } from "./json-fields.ts";
import type { Reading } from "./profile.ts";
import { toolCall, toolEnd } from "./tool-readings.ts";

/**
 * `opencode run --format json`, as in packages/opencode/src/cli/cmd/run.ts of opencode 1.18.18. It reports tools when they
 * are done; tokens and cost of each step.
 */
export function readOpencodeLine(line: Fields): readonly Reading[] | undefined {
  const part = fieldsOf(line["part"]);
  switch (line["type"]) {
    case "text": {
      const text = textOf(part["text"]);
      return text === undefined ? [] : [{ type: "message", text }];
    }
    case "tool_use":
      return readTool(part);
    case "step_finish": {
      const { input, output, reasoning, cache } = fieldsOf(part["tokens"]);
      const { read, write } = fieldsOf(cache);
      return [
        {
          type: "used",
          of: "step",
          inputTokens: countOf(input) + countOf(read) + countOf(write),
          outputTokens: countOf(output) + countOf(reasoning),
          costUsd: costOf(part["cost"]),
        },
      ];
    }
    case "step_start":
    case "reasoning":
      return [];
    case "error": {
      const { name, message, data } = fieldsOf(line["error"]);
      const words = [textOf(name), textOf(fieldsOf(data)["message"]) ?? textOf(message)];
      const reason = words.filter((text) => text !== undefined).join(": ");
      return [{ type: "failure", message: textOf(reason) ?? "it does not say why", isFinal: true }];
    }
    default:
      return undefined;
  }
}

function readTool(part: Fields): readonly Reading[] {
  const { status, input, title, error } = fieldsOf(part["state"]);
  const id = textOf(part["callID"]);
  const readings = toolCall(id, textOf(part["tool"]) ?? "tool", fieldsOf(input));
  if (status === "error") {
    // What failed changed no file.
    const calls = readings.filter(({ type }) => type !== "file");
    return [...calls, toolEnd(id, `failed: ${textOf(error) ?? ""}`)];
  }
  return [...readings, toolEnd(id, textOf(title) ?? "")];
}
