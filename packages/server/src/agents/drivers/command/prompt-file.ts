import { randomBytes } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { PromptFile } from "./command-run.ts";

/** Writes the prompt into the agent's folder, the only one that it surely sees; removed before the result is committed. */
export async function writePromptFile(folder: string, prompt: string): Promise<PromptFile> {
  const path = join(folder, `.slipway-prompt-${randomBytes(6).toString("hex")}.md`);
  // Never overwrites a file or follows a link: earlier agents have written in this folder.
  await writeFile(path, prompt, { flag: "wx", mode: 0o644 });
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
