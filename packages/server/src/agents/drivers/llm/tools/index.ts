import { edit, list, read, write } from "./file-tools.ts";
import { run, search } from "./program-tools.ts";
import { type Tool, ToolCallInput, type ToolPlace, ToolRefusal } from "./tool.ts";

export const tools: readonly Tool[] = [list, read, write, edit, search, run];

export interface ToolResult {
  readonly text: string;
  readonly isRefused: boolean;
}

/** Does what a model asks for; what cannot be done is told to it. */
export async function performCall(place: ToolPlace, name: string, given: unknown): Promise<ToolResult> {
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined) {
    const names = tools.map((each) => each.name).join(", ");
    return { text: `There is no tool '${name.slice(0, 100)}', only: ${names}.`, isRefused: true };
  }
  const input = new ToolCallInput(given);
  try {
    const detail = tool.describe(input).slice(0, 500);
    place.emit({ type: "tool", name, detail, isDone: false });
    try {
      return { text: await tool.perform(place, input), isRefused: false };
    } finally {
      place.emit({ type: "tool", name, detail, isDone: true });
    }
  } catch (error) {
    if (error instanceof ToolRefusal) return { text: error.message, isRefused: true };
    throw error;
  }
}
