import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { removeProjectFile, writeProjectFile } from "../../../platform/project-files/index.ts";
import type { PromptFile } from "./command-run.ts";

/** Writes the prompt into the agent's folder, the only one that it surely sees; removed before the result is committed. */
export async function writePromptFile(folder: string, prompt: string): Promise<PromptFile> {
  // A name that nobody can foresee: earlier agents have written in this folder.
  const name = `.slipway-prompt-${randomBytes(6).toString("hex")}.md`;
  await writeProjectFile(folder, name, prompt);
  return { path: join(folder, name), remove: () => removeProjectFile(folder, name) };
}
