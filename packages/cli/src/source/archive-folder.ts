import { spawn } from "node:child_process";
import { mkdir, readdir } from "node:fs/promises";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { CommandError, exitCode, UsageError } from "../exit-code.ts";
import { serviceEntry } from "../start-service.ts";

/** What the service takes at most. */
const mostBytes = 64 * 1024 * 1024;

/** A folder's files as an archive, without `.git` and `node_modules`. */
export async function packFolder(folder: string, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
  const archiver = start("pack", folder, signal);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of archiver.stdout as AsyncIterable<Buffer>) {
    size += chunk.length;
    chunks.push(chunk);
    if (size <= mostBytes) continue;
    archiver.kill();
    throw new UsageError(`${folder} has more than ${mostBytes / 2 ** 20} MiB: leave out what is made of the rest`);
  }
  await archiver.ended;
  return new Uint8Array(Buffer.concat(chunks));
}

/** Fills a new or empty folder with the files of an archive; gives how many there were. */
export async function unpackFolder(archive: Readable, folder: string, signal: AbortSignal): Promise<number> {
  await requireEmpty(folder);
  const archiver = start("unpack", folder, signal);
  const said = text(archiver.stdout);
  // When the archiver ends early, what it says of that counts, not the broken pipe.
  const sent = pipeline(archive, archiver.stdin).catch((error: unknown) => error);
  await archiver.ended;
  const error = await sent;
  if (error instanceof Error) throw error;
  return Number(await said);
}

/** A repository of the person's own may be there: the files are theirs to commit. */
async function requireEmpty(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    const names = (await readdir(folder)).filter((name) => name !== ".git");
    if (names.length === 0) return;
  } catch (error) {
    throw new UsageError(`${folder} cannot be used: ${(error as Error).message}`);
  }
  throw new UsageError(`${folder} is not empty: name a folder that is, so that nothing of yours is written over`);
}

/** The service's own code reads and writes archives, in a process of its own. */
function start(action: "pack" | "unpack", folder: string, signal: AbortSignal) {
  const child = spawn(process.execPath, [serviceEntry(), "archive", action, folder], {
    stdio: ["pipe", "pipe", "pipe"],
    signal,
  });
  const told = text(child.stderr);
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  child.on("error", reject);
  child.on("close", async (code) => {
    if (code === 0) return resolve();
    const why = (await told).replace(/^slipway: /, "").trim();
    reject(new CommandError(exitCode.usage, why === "" ? `the files of ${folder} could not be read or written` : why));
  });
  // Whoever waits for the output first asks for it later.
  ended.catch(() => undefined);
  return { stdin: child.stdin, stdout: child.stdout, ended, kill: () => child.kill() };
}
