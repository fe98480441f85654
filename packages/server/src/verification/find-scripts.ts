import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { scriptsFile } from "@slipway/blueprints";
import type { CompleteSpec } from "@slipway/spec";

type Scripts = NonNullable<CompleteSpec["scripts"]>;

const maxBytes = 64 * 1024;

/** How a project is built, tested and started: as its document says, else as its own files say. */
export async function findScripts(
  { scripts = {} }: Pick<CompleteSpec, "scripts">,
  projectFolder: string,
): Promise<Scripts> {
  return { ...(await readScriptsFile(projectFolder)), ...scripts } as Scripts;
}

/** Anybody may have written the file: entries that are not texts are left out. */
async function readScriptsFile(projectFolder: string): Promise<Record<string, string>> {
  try {
    const handle = await open(join(projectFolder, scriptsFile), constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(maxBytes));
      const found: unknown = JSON.parse(buffer.toString("utf8", 0, bytesRead));
      if (typeof found !== "object" || found === null) return {};
      return Object.fromEntries(
        Object.entries(found).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
      );
    } finally {
      await handle.close();
    }
  } catch {
    return {};
  }
}
