import { randomBytes } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { PromptFile } from "./command-run.ts";

/**
 * Puts a prompt into a file in the agent's folder, the only one that it surely sees. It is taken away before the work is
 * looked at.
 */
export async function writePromptFile(folder: string, prompt: string): Promise<PromptFile> {
  const path = join(folder, `.slipway-prompt-${randomBytes(6).toString("hex")}.md`);
  // Not over anything, nor through a link: others have written in this folder before.
  await writeFile(path, prompt, { flag: "wx", mode: 0o644 });
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
