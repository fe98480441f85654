import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { scriptsFile } from "@slipway/blueprints";
import type { CompleteSpec } from "@slipway/spec";

type Scripts = NonNullable<CompleteSpec["scripts"]>;

const maxBytes = 64 * 1024;

/** How the project in the folder is built, tested and started: as the document says, else as the result itself says. */
export async function findScripts({ scripts = {} }: Pick<CompleteSpec, "scripts">, folder: string): Promise<Scripts> {
  return { ...(await readScripts(join(folder, scriptsFile))), ...scripts } as Scripts;
}

/** Whoever wrote it: what is no text under a name is left out. */
async function readScripts(file: string): Promise<Record<string, string>> {
  try {
    const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
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
