import { createHash, type Hash } from "node:crypto";
import { constants, createReadStream, existsSync } from "node:fs";
import { type FileHandle, lstat, open, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, extname, join, sep } from "node:path";
import { type ArtifactDownload, downloadArtifact } from "@slipway/client";
import { type ServiceContext, textOf } from "../command.ts";
import { CommandError, type ExitCode, exitCode } from "../exit-code.ts";
import { printable } from "../output/printable.ts";
import { byteSize } from "../output/quantities.ts";
import type { Terminal } from "../output/terminal.ts";
import { toJson } from "../output/to-json.ts";
import { zipDefect } from "./zip-end.ts";

/** Downloads an artifact. The file gets its name only when it is complete and verified. */
export async function getArtifact(context: ServiceContext): Promise<ExitCode> {
  const { client, terminal, options, signal } = context;
  const [projectId = "", artifact = ""] = context.args;
  const request = { projectId, artifact, checkpoint: textOf(options, "checkpoint"), signal };
  const started = await downloadArtifact(client, request);
  const output = textOf(options, "output");
  if (output === "-") return printAll(terminal, started);
  const path = await pathFor(output, started.fileName);
  if (options["force"] !== true && existsSync(path)) {
    await started.cancel();
    throw new CommandError(exitCode.failed, `${printable(path)} already exists; --force overwrites it`);
  }
  const partial = partialOf(path, started.etag);
  const begun = await sizeOf(partial).catch(explained(path));
  const offset = started.sizeBytes === undefined ? 0 : begun;
  let download = started;
  if (offset > 0 && offset < (started.sizeBytes ?? 0)) {
    await started.cancel();
    download = await downloadArtifact(client, { ...request, from: { offset, etag: started.etag } });
  }
  const size = await receive(context, download, partial).catch(explained(path));
  await rename(partial, path).catch(explained(path));
  terminal.live(undefined);
  const sha256 =
    /^"[0-9a-f]{64}"$/.test(download.etag) && download.sizeBytes !== undefined ? download.etag.slice(1, -1) : null;
  if (options.json) terminal.out(toJson({ path, size_bytes: size, sha256, resumed_at: download.offset }));
  else
    terminal.err(
      `${printable(path)}: ${byteSize(size)}${download.offset > 0 ? `, resumed after ${byteSize(download.offset)}` : ""}`,
    );
  return exitCode.ok;
}

/** A full or closed disk, a folder that is missing or that has the file's name; what was received is kept for the next try. */
function explained(path: string): (error: unknown) => never {
  return (error) => {
    const { syscall, message } = error as NodeJS.ErrnoException;
    // Connections break, too.
    const isOfFile = syscall !== undefined && !["connect", "read", "getaddrinfo"].includes(syscall);
    if (!isOfFile) throw error;
    throw new CommandError(exitCode.failed, `cannot write ${printable(path)}: ${message}`);
  };
}

/** Writes the download to a file, verifies it, and returns its size. */
async function receive({ terminal }: ServiceContext, download: ArtifactDownload, partial: string): Promise<number> {
  const { offset, sizeBytes, etag, chunks } = download;
  const hash = hashFor(etag, sizeBytes);
  if (offset > 0 && hash !== undefined)
    for await (const chunk of createReadStream(partial, { end: offset - 1 })) hash.update(chunk as Buffer);
  const { O_RDWR, O_CREAT, O_TRUNC, O_NOFOLLOW = 0 } = constants;
  const file = await open(partial, O_RDWR | O_NOFOLLOW | (offset > 0 ? 0 : O_CREAT | O_TRUNC));
  let at = offset;
  try {
    for await (const chunk of chunks) {
      hash?.update(chunk);
      await writeAll(file, chunk, at);
      at += chunk.length;
      terminal.live(sizeBytes === undefined ? byteSize(at) : `${byteSize(at)} of ${byteSize(sizeBytes)}`);
    }
    await file.truncate(at);
    await file.sync();
  } finally {
    await file.close();
  }
  const reason = await defectOf(partial, at, download, hash);
  if (reason === undefined) return at;
  await rm(partial, { force: true });
  throw new CommandError(exitCode.failed, `${reason}; the download was discarded`);
}

/** The ETag of a file is its digest, for source code the one of git. The ETag of a zip is not a digest. */
function hashFor(etag: string, sizeBytes: number | undefined): Hash | undefined {
  if (sizeBytes === undefined) return undefined;
  if (/^"[0-9a-f]{64}"$/.test(etag)) return createHash("sha256");
  return /^"[0-9a-f]{40}"$/.test(etag) ? createHash("sha1").update(`blob ${sizeBytes}\0`) : undefined;
}

async function defectOf(
  path: string,
  size: number,
  { sizeBytes, etag, mediaType }: ArtifactDownload,
  hash: Hash | undefined,
): Promise<string | undefined> {
  if (sizeBytes !== undefined && size !== sizeBytes) return `received ${size} of ${sizeBytes} bytes`;
  if (hash !== undefined && `"${hash.digest("hex")}"` !== etag) return "the content does not match its digest";
  return sizeBytes === undefined && mediaType === "application/zip" ? zipDefect(path, size) : undefined;
}

async function printAll({ write }: Terminal, { chunks }: ArtifactDownload): Promise<ExitCode> {
  for await (const chunk of chunks) await write(chunk);
  return exitCode.ok;
}

async function pathFor(output: string | undefined, fileName: string): Promise<string> {
  // The service chooses the name: it must not contain a path, and the file must not be hidden.
  const chosen = fileName.replace(/[\p{Cc}/\\:]/gu, "_").replace(/^\.+/, "_");
  // That of a folder's zip may be longer than any folder's.
  const ending = extname(chosen);
  const end = ending.length <= maxEndingLength ? ending : "";
  const name = shortName(chosen.slice(0, chosen.length - end.length), end);
  if (output === undefined) return name;
  const isFolder =
    output.endsWith("/") ||
    output.endsWith(sep) ||
    ((await stat(output).catch(() => undefined))?.isDirectory() ?? false);
  return isFolder ? join(output, name) : output;
}

/** As long as file systems take a name. */
const maxNameBytes = 255;
const maxEndingLength = 20;

/** Named by the ETag, so that a partial download of another version is not resumed. */
function partialOf(path: string, etag: string): string {
  const end = `.${etag.replace(/\W/g, "").slice(0, 40)}.part`;
  return join(dirname(path), shortName(`.${basename(path)}`, end));
}

/** A name with this end that file systems take; its start is cut for that. */
function shortName(start: string, end: string): string {
  const name = Buffer.from(start);
  const room = maxNameBytes - Buffer.byteLength(end);
  // A letter that is cut becomes one of three bytes.
  return name.length <= room ? start + end : name.subarray(0, room - 3).toString("utf8") + end;
}

async function writeAll(file: FileHandle, chunk: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < chunk.length; ) {
    const { bytesWritten } = await file.write(chunk, done, chunk.length - done, at + done);
    done += bytesWritten;
  }
}

/**
 * The size of a partial download. What else has its name is removed: the folder may hold the files of a project, in which a
 * link of that name would lead the download to another file.
 */
async function sizeOf(path: string): Promise<number> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.isFile()) return found.size;
  if (found !== undefined) await rm(path);
  return 0;
}
