import { scriptsFile } from "@slipway/blueprints";
import type { CompleteSpec } from "@slipway/spec";
import { readProjectJson } from "./read-json.ts";

type Scripts = NonNullable<CompleteSpec["scripts"]>;

const maxBytes = 64 * 1024;

/** How a project is built, tested and started: as its document says, else as its own files say. */
export async function findScripts(
  { scripts = {} }: Pick<CompleteSpec, "scripts">,
  projectFolder: string,
  signal?: AbortSignal,
): Promise<Scripts> {
  const found = (await readProjectJson(projectFolder, scriptsFile, { maxBytes, signal })) ?? {};
  // Anybody may have written the file: entries that are not texts are left out.
  const texts = Object.entries(found).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return { ...Object.fromEntries(texts), ...scripts } as Scripts;
}
