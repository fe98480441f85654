import { dirname } from "node:path/posix";
import {
  FileRefusal,
  readProjectFile,
  removeEmptyFolder,
  removeProjectFile,
} from "../../platform/project-files/index.ts";
import { breakdownPath } from "../prompt/planning-sections.ts";
import type { AgentReport, AgentWork } from "./driver.ts";
import { failed } from "./failed-report.ts";

/** More than the parser accepts, so that the planner learns of its limit. */
const maxBytes = 16 * 1024 * 1024;

/** The report of an agent that ended well; a planner's holds the breakdown that it wrote. */
export async function reportDone({ task, folder }: Pick<AgentWork, "task" | "folder">): Promise<AgentReport> {
  if (task.role !== "planner") return { is: "done" };
  try {
    const breakdown = await takeBreakdown(folder);
    return breakdown === undefined ? { is: "done" } : { is: "done", breakdown };
  } catch (error) {
    if (!(error instanceof FileRefusal)) throw error;
    return failed("agent_result", `The planner's ${error.message}`);
  }
}

/** Removes the planner's breakdown from the folder, so that it does not become part of the project, and returns it. */
export async function takeBreakdown(folder: string): Promise<string | undefined> {
  const text = await readProjectFile(folder, breakdownPath, { maxBytes }).catch((error: unknown) => {
    // A link could lead to a file that the agent must not see: as if nothing were there.
    if (error instanceof FileRefusal && !["too_large", "stuck"].includes(error.code)) return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  await removeProjectFile(folder, breakdownPath);
  // Fails if the folder holds anything else, which stays.
  await removeEmptyFolder(folder, dirname(breakdownPath)).catch(() => undefined);
  return text.toString("utf8");
}
