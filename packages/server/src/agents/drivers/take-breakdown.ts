import { constants } from "node:fs";
import { lstat, open, rm, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { breakdownPath } from "../prompt/planning-sections.ts";
import type { AgentReport, AgentWork } from "./driver.ts";

/** More than the parser accepts, so that it refuses a larger file instead of reading a part of it. */
const maxBytes = 16 * 1024 * 1024;

/** The report of an agent that ended well; a planner's holds the breakdown that it wrote. */
export async function reportDone({ task, folder }: Pick<AgentWork, "task" | "folder">): Promise<AgentReport> {
  if (task.role !== "planner") return { is: "done" };
  const breakdown = await takeBreakdown(folder);
  return breakdown === undefined ? { is: "done" } : { is: "done", breakdown };
}

/** Removes the planner's breakdown from the folder, so that it does not become part of the project, and returns it. */
export async function takeBreakdown(folder: string): Promise<string | undefined> {
  const path = join(folder, breakdownPath);
  const parent = await lstat(dirname(path)).catch(() => undefined);
  const found = await lstat(path).catch(() => undefined);
  // A link could lead to a file that the agent must not see; a pipe would block us.
  if (!parent?.isDirectory() || !found?.isFile()) return undefined;
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(Math.min(found.size, maxBytes) + 1));
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
    await rm(path, { force: true });
    // Fails if the folder holds anything else, which stays.
    await rmdir(dirname(path)).catch(() => undefined);
  }
}
