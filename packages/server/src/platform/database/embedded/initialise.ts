import { readdir, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { processExists } from "../../process/index.ts";
import type { Binaries } from "./binaries.ts";
import type { DatabasePlace } from "./database-place.ts";
import { explainOutput, otherMajorVersion } from "./explain-failure.ts";
import { runProgram } from "./run-program.ts";
import { syncFolder, syncPath } from "./sync-folder.ts";

export const superuser = "slipway";

/** Makes the database's files where there are none. They appear whole or not at all, however many try at once. */
export async function initialise(binaries: Binaries, place: DatabasePlace): Promise<void> {
  const { home, data } = place;
  await removeLeftovers(home);
  const found = await readFile(join(data, "PG_VERSION"), "utf8").catch(() => undefined);
  if (found !== undefined) {
    if (found.trim() === binaries.majorVersion) return;
    throw otherMajorVersion(found.trim(), binaries.majorVersion, data);
  }
  const unfinished = join(home, `initialising-${process.pid}`);
  try {
    await runInitdb(binaries, unfinished, place);
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

async function runInitdb({ initdb }: Binaries, folder: string, place: DatabasePlace): Promise<void> {
  const args = ["-D", folder, "-U", superuser, "--encoding=UTF8", "--locale=C", "--no-instructions"];
  // The same order and upper case on every machine, and no ties to the system's libraries.
  args.push("--locale-provider=builtin", "--builtin-locale=C.UTF-8");
  // The socket's permissions say who may connect; there is no other way in.
  args.push("--auth-local=trust", "--auth-host=reject");
  // It would write one file after the other to the disk; we do it faster.
  args.push("--no-sync");
  const program = runProgram(initdb, args, place);
  if ((await program.closed) !== 0) throw explainOutput(program.output(), place.home);
}

/** What starters left who were killed in the middle; the number at the end is that of their process. */
async function removeLeftovers(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    const pid = /^(?:initialising|copying)-(\d+)$/.exec(name)?.[1];
    if (pid === undefined || processExists(Number(pid))) continue;
    // Its `initdb` may still run for a moment and write: what it leaves is removed next time.
    await rm(join(home, name), { recursive: true, force: true }).catch(() => undefined);
  }
}
