import { countOf, type Fields, fieldsOf, textOf } from "./json-fields.ts";
import type { Reading } from "./profile.ts";
import { toolCall, toolEnd } from "./tool-readings.ts";

/** `gemini --output-format stream-json`, as in packages/core/src/output/types.ts of gemini-cli 0.56. It says no cost. */
export function readGeminiLine(line: Fields): readonly Reading[] | undefined {
  switch (line["type"]) {
    case "init":
      return [{ type: "status", text: `at work with ${textOf(line["model"]) ?? "its default model"}` }];
    case "message": {
      const { role, content, delta } = line;
      if (role !== "assistant" || typeof content !== "string") return [];
      return [{ type: delta === true ? "piece" : "message", text: content }];
    }
    case "tool_use":
      return toolCall(textOf(line["tool_id"]), textOf(line["tool_name"]) ?? "tool", fieldsOf(line["parameters"]));
    case "tool_result": {
      const words = textOf(fieldsOf(line["error"])["message"]) ?? textOf(line["output"]) ?? "";
      return [toolEnd(textOf(line["tool_id"]), line["status"] === "error" ? `failed: ${words}` : words)];
    }
    case "error": {
      const message = textOf(line["message"]) ?? "it does not say why";
      if (line["severity"] === "warning") return [{ type: "status", text: message }];
      return [{ type: "failure", message, isFinal: false }];
    }
    case "result": {
      const { input_tokens, output_tokens } = fieldsOf(line["stats"]);
      const tokens = { inputTokens: countOf(input_tokens), outputTokens: countOf(output_tokens) };
      const used: Reading = { type: "used", of: "run", ...tokens, costUsd: undefined };
      if (line["status"] !== "error") return [used];
      const { type, message } = fieldsOf(line["error"]);
      // The type is the name of a class; most errors have none of their own.
      const kind = type === "unknown" || type === "Error" ? undefined : textOf(type);
      const words = [kind, textOf(message)].filter((text) => text !== undefined).join(": ");
      return [used, { type: "failure", message: textOf(words) ?? "it does not say why", isFinal: true }];
    }
    default:
      return undefined;
  }
}
