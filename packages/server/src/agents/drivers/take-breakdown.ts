import { constants } from "node:fs";
import { lstat, open, rm, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { breakdownPath } from "../prompt/planning-sections.ts";
import type { AgentReport, AgentWork } from "./driver.ts";

/** More than who reads it accepts: a larger one is refused there, and not cut to something that fits. */
const maxBytes = 16 * 1024 * 1024;

/** What a driver reports of an agent that has ended well: a planner's with the breakdown that it wrote. */
export async function reportDone({ task, folder }: Pick<AgentWork, "task" | "folder">): Promise<AgentReport> {
  if (task.role !== "planner") return { is: "done" };
  const breakdown = await takeBreakdown(folder);
  return breakdown === undefined ? { is: "done" } : { is: "done", breakdown };
}

/** Takes the planner's breakdown out of the folder, so that it is no part of the project; nothing if it wrote none. */
export async function takeBreakdown(folder: string): Promise<string | undefined> {
  const path = join(folder, breakdownPath);
  const place = await lstat(dirname(path)).catch(() => undefined);
  const found = await lstat(path).catch(() => undefined);
  // A link could lead to what the agent must not see, a pipe would keep us waiting.
  if (!place?.isDirectory() || !found?.isFile()) return undefined;
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(Math.min(found.size, maxBytes) + 1));
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
    await rm(path, { force: true });
    // Something else may be in it.
    await rmdir(dirname(path)).catch(() => undefined);
  }
}
