import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { type BuildTask, type BuildWorkspace, findOutcomeType } from "@slipway/blueprints";
import { acceptanceLines } from "@slipway/spec";
import type { AgentReport, AgentWork } from "./agent-run.ts";
import { insideFolder } from "./llm/tools/inside-folder.ts";
import { simpleDriver } from "./simple-driver.ts";

/**
 * The agent that every installation has: it builds by rule, without a model or a network. It plans as the document itself
 * says; verifying and deploying are the service's own work.
 */
export const blueprintDriver = simpleDriver("blueprint", async (work) =>
  work.task.role === "planner" ? { is: "done" } : build(work),
);

async function build({ task, document, folder }: AgentWork): Promise<AgentReport> {
  const type = findOutcomeType(document.outcome_type);
  if (type === undefined) {
    const message = `There is no blueprint for '${document.outcome_type}'.`;
    return { is: "failed", code: "cannot_build", message };
  }
  await type.build(buildTask({ task, document }), workspaceIn(folder, document));
  return { is: "done" };
}

function buildTask({ task, document }: Pick<AgentWork, "task" | "document">): BuildTask {
  const { id, title, description, phase, serves } = task;
  const lines = acceptanceLines(document).filter(({ pointer }) => serves.includes(pointer));
  return { id, title, phase, lines, ...(description !== undefined && { description }) };
}

/** The folder of an attempt. Links that lead out of it, made by whoever worked there before, are not followed. */
function workspaceIn(folder: string, document: BuildWorkspace["document"]): BuildWorkspace {
  return {
    document,
    read: async (path) => {
      const { absolute } = await insideFolder(folder, path);
      return readFile(absolute, "utf8").catch(() => undefined);
    },
    write: async (path, text, { isExecutable = false } = {}) => {
      const { absolute } = await insideFolder(folder, path);
      await mkdir(dirname(absolute), { recursive: true });
      await writeFile(absolute, text);
      await chmod(absolute, isExecutable ? 0o755 : 0o644);
    },
  };
}
