import { readdir, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { processExists } from "../../process/index.ts";
import type { Binaries } from "./binaries.ts";
import type { DatabaseLocation } from "./database-location.ts";
import { explainOutput, otherMajorVersion } from "./explain-failure.ts";
import { runProgram } from "./run-program.ts";
import { syncFolder, syncPath } from "./sync-folder.ts";

export const superuser = "slipway";

/** Creates the files of the database if there are none: completely or not at all, even if several starters try at once. */
export async function initialise(binaries: Binaries, location: DatabaseLocation): Promise<void> {
  const { home, data } = location;
  await removeLeftovers(home);
  const found = await readFile(join(data, "PG_VERSION"), "utf8").catch(() => undefined);
  if (found !== undefined) {
    if (found.trim() === binaries.majorVersion) return;
    throw otherMajorVersion(found.trim(), binaries.majorVersion, data);
  }
  const unfinished = join(home, `initialising-${process.pid}`);
  // In a container, one that was killed mostly had our id.
  await rm(unfinished, { recursive: true, force: true });
  try {
    await runInitdb(binaries, unfinished, location);
    await syncFolder(unfinished);
    await rename(unfinished, data);
    await syncPath(home);
    await syncPath(dirname(home));
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    // Another starter was faster.
    if (!["ENOTEMPTY", "EEXIST"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}

async function runInitdb({ initdb }: Binaries, folder: string, location: DatabaseLocation): Promise<void> {
  const args = ["-D", folder, "-U", superuser, "--encoding=UTF8", "--locale=C", "--no-instructions"];
  // The same order and upper case on every machine, and no ties to the system's libraries.
  args.push("--locale-provider=builtin", "--builtin-locale=C.UTF-8");
  // The permissions of the socket decide who may connect; nothing else listens.
  args.push("--auth-local=trust", "--auth-host=reject");
  // It would sync one file after the other; we sync in parallel.
  args.push("--no-sync");
  const program = runProgram(initdb, args, location);
  if ((await program.closed) !== 0) throw explainOutput(program.output(), location.home);
}

/** Removes what killed starters left; the names end with the ids of their processes. */
async function removeLeftovers(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    const pid = /^(?:initialising|copying)-(\d+)$/.exec(name)?.[1];
    if (pid === undefined || processExists(Number(pid))) continue;
    // Its `initdb` may still write for a moment: the next start removes the rest.
    await rm(join(home, name), { recursive: true, force: true }).catch(() => undefined);
  }
}
