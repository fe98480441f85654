import { shortened } from "../../../../platform/one-line.ts";
import { FileRefusal } from "../../../../platform/project-files/index.ts";
import { edit, list, read, write } from "./file-tools.ts";
import { run, search } from "./program-tools.ts";
import { type Tool, ToolCallInput, type ToolContext, ToolRefusal } from "./tool.ts";

export const tools: readonly Tool[] = [list, read, write, edit, search, run];

export interface ToolResult {
  readonly text: string;
  readonly isRefused: boolean;
}

/** Runs a tool for a model; a refusal becomes a result that the model reads. */
export async function performCall(context: ToolContext, name: string, given: unknown): Promise<ToolResult> {
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined) {
    const names = tools.map((each) => each.name).join(", ");
    return { text: `There is no tool '${name.slice(0, 100)}', only: ${names}.`, isRefused: true };
  }
  const input = new ToolCallInput(given);
  try {
    const detail = shortened(tool.describe(input), 500);
    context.emit({ type: "tool", name, detail, isDone: false });
    try {
      return { text: await tool.perform(context, input), isRefused: false };
    } finally {
      context.emit({ type: "tool", name, detail, isDone: true });
    }
  } catch (error) {
    if (error instanceof ToolRefusal || error instanceof FileRefusal) return { text: error.message, isRefused: true };
    throw error;
  }
}
