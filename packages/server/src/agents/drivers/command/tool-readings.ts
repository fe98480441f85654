import { type Fields, fieldsOf, listOf, textOf } from "./json-fields.ts";
import type { Reading } from "./profile.ts";

// The names that Claude Code, Qwen Code, Gemini CLI and opencode give to the same tools.
const writing = ["write", "write_file", "edit", "multiedit", "notebookedit", "notebook_edit", "replace"];
const reading = ["read", "read_file"];
const planning = ["todowrite", "todo_write", "write_todos"];

/** The readings of a tool call: its start, the file that it reads or writes, or the agent's plan. */
export function toolCall(id: string | undefined, name: string, input: Fields): readonly Reading[] {
  const known = name.toLowerCase();
  if (planning.includes(known)) {
    const entries = listOf(input["todos"]).flatMap((todo) => {
      const { content, description } = fieldsOf(todo);
      return textOf(content) ?? textOf(description) ?? [];
    });
    return [{ type: "plan", entries }];
  }
  const call: Reading = { type: "tool", id, name, detail: detailOf(input), isDone: false };
  const path = pathOf(input);
  const change = writing.includes(known) ? "written" : reading.includes(known) ? "read" : undefined;
  return path === undefined || change === undefined ? [call] : [call, { type: "file", path, change }];
}

export function toolEnd(id: string | undefined, detail: string): Reading {
  return { type: "tool", id, name: undefined, detail, isDone: true };
}

function pathOf(input: Fields): string | undefined {
  return textOf(input["file_path"]) ?? textOf(input["filePath"]) ?? textOf(input["notebook_path"]);
}

function detailOf(input: Fields): string {
  const keys = ["command", "pattern", "query", "url", "path", "description", "prompt"];
  const detail = pathOf(input) ?? keys.map((key) => textOf(input[key])).find((text) => text !== undefined);
  return detail ?? (Object.keys(input).length === 0 ? "" : JSON.stringify(input));
}
