import { spawn } from "node:child_process";
import { mkdir, readdir } from "node:fs/promises";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { CommandError, exitCode, UsageError } from "../exit-code.ts";
import { serviceEntry } from "../start-service.ts";

/** The service's limit. */
const maxBytes = 64 * 1024 * 1024;

/** A folder's files as an archive, without `.git` and `node_modules`. */
export async function packFolder(folder: string, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
  const archiver = start("pack", folder, signal);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of archiver.stdout as AsyncIterable<Buffer>) {
    size += chunk.length;
    chunks.push(chunk);
    if (size <= maxBytes) continue;
    archiver.kill();
    throw new UsageError(`${folder} exceeds ${maxBytes / 2 ** 20} MiB: exclude generated files with .gitignore`);
  }
  await archiver.ended;
  return new Uint8Array(Buffer.concat(chunks));
}

/** Unpacks an archive into a new or empty folder; returns the number of files. */
export async function unpackFolder(archive: Readable, folder: string, signal: AbortSignal): Promise<number> {
  await requireEmpty(folder);
  const archiver = start("unpack", folder, signal);
  const output = text(archiver.stdout);
  // If the archiver ends early, its message is the error, not the broken pipe.
  const sent = pipeline(archive, archiver.stdin).catch((error: unknown) => error);
  await archiver.ended;
  const error = await sent;
  if (error instanceof Error) throw error;
  return Number(await output);
}

/** A `.git` may be there: users commit the files to their own repository. */
async function requireEmpty(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    const names = (await readdir(folder)).filter((name) => name !== ".git");
    if (names.length === 0) return;
  } catch (error) {
    throw new UsageError(`cannot use ${folder}: ${(error as Error).message}`);
  }
  throw new UsageError(`${folder} is not empty: name a new or empty folder`);
}

/** The service's own program reads and writes archives, in a separate process. */
function start(action: "pack" | "unpack", folder: string, signal: AbortSignal) {
  const child = spawn(process.execPath, [serviceEntry(), "archive", action, folder], {
    stdio: ["pipe", "pipe", "pipe"],
    signal,
  });
  const errors = text(child.stderr);
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  child.on("error", reject);
  child.on("close", async (code) => {
    if (code === 0) return resolve();
    reject(explain(action, folder, (await errors).replace(/^slipway: /, "").trim()));
  });
  // Callers that read the output first await this later; until then a rejection must not count as unhandled.
  ended.catch(() => undefined);
  return { stdin: child.stdin, stdout: child.stdout, ended, kill: () => child.kill() };
}

/** What cannot be packed is the caller's to mend; a disk that is full while files are written is nobody's mistake. */
function explain(action: "pack" | "unpack", folder: string, message: string): CommandError {
  const reason = message === "" ? "" : `: ${message}`;
  if (action === "unpack") return new CommandError(exitCode.failed, `cannot write the files to ${folder}${reason}`);
  return new CommandError(exitCode.usage, message === "" ? `cannot read the files of ${folder}` : message);
}
