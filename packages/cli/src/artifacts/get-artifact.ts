import { createHash, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, open, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import { type ArtifactDownload, downloadArtifact } from "@slipway/client";
import { type ServiceContext, textOf } from "../command.ts";
import { CommandError, type ExitCode, exitCode } from "../exit-code.ts";
import { toJson } from "../output/print.ts";
import { printable } from "../output/printable.ts";
import { byteSize } from "../output/quantities.ts";
import { whyIncomplete } from "./zip-end.ts";

/** Downloads an artifact. It has its name once all of it is there and is what it should be, and not before. */
export async function getArtifact(context: ServiceContext): Promise<ExitCode> {
  const { client, terminal, options, signal } = context;
  const [projectId = "", artifact = ""] = context.args;
  const wanted = { projectId, artifact, checkpoint: textOf(options, "checkpoint"), signal };
  const begun = await downloadArtifact(client, wanted);
  const output = textOf(options, "output");
  if (output === "-") return printAll(begun);
  const path = await pathFor(output, begun.fileName);
  if (options["force"] !== true && (await exists(path))) {
    await begun.cancel();
    throw new CommandError(exitCode.failed, `${printable(path)} is there already; --force writes over it`);
  }
  // By what it is: what was begun of another version is not gone on with.
  const partial = join(dirname(path), `.${basename(path)}.${begun.etag.replace(/\W/g, "").slice(0, 40)}.part`);
  const offset = begun.sizeBytes === undefined ? 0 : await sizeOf(partial);
  let download = begun;
  if (offset > 0 && offset < (begun.sizeBytes ?? 0)) {
    await begun.cancel();
    download = await downloadArtifact(client, { ...wanted, from: { offset, etag: begun.etag } });
  }
  const size = await receive(context, download, partial);
  await rename(partial, path);
  terminal.live(undefined);
  const sha256 =
    /^"[0-9a-f]{64}"$/.test(download.etag) && download.sizeBytes !== undefined ? download.etag.slice(1, -1) : null;
  if (options.json) terminal.out(toJson({ path, size_bytes: size, sha256, resumed_at: download.offset }));
  else
    terminal.err(
      `${printable(path)}: ${byteSize(size)}${download.offset > 0 ? `, gone on after ${byteSize(download.offset)}` : ""}`,
    );
  return exitCode.ok;
}

/** Writes what comes to a file, and compares it with what the service said it is. Gives its size. */
async function receive({ terminal }: ServiceContext, download: ArtifactDownload, partial: string): Promise<number> {
  const { offset, sizeBytes, etag, chunks } = download;
  const hash = hashFor(etag, sizeBytes);
  if (offset > 0 && hash !== undefined)
    for await (const chunk of createReadStream(partial, { end: offset - 1 })) hash.update(chunk as Buffer);
  const file = await open(partial, offset > 0 ? "r+" : "w");
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
  const reason = await whyWrong(partial, at, download, hash);
  if (reason === undefined) return at;
  await rm(partial, { force: true });
  throw new CommandError(exitCode.failed, `${reason}; it was thrown away`);
}

/** The ETag of a file is the digest of its bytes; of source code, as git counts it. Of a zip it is none. */
function hashFor(etag: string, sizeBytes: number | undefined): Hash | undefined {
  if (sizeBytes === undefined) return undefined;
  if (/^"[0-9a-f]{64}"$/.test(etag)) return createHash("sha256");
  return /^"[0-9a-f]{40}"$/.test(etag) ? createHash("sha1").update(`blob ${sizeBytes}\0`) : undefined;
}

async function whyWrong(
  path: string,
  size: number,
  { sizeBytes, etag, mediaType }: ArtifactDownload,
  hash: Hash | undefined,
): Promise<string | undefined> {
  if (sizeBytes !== undefined && size !== sizeBytes) return `${size} bytes came where ${sizeBytes} were to come`;
  if (hash !== undefined && `"${hash.digest("hex")}"` !== etag) return "what came is not what the service has";
  return sizeBytes === undefined && mediaType === "application/zip" ? whyIncomplete(path, size) : undefined;
}

async function printAll({ chunks }: ArtifactDownload): Promise<ExitCode> {
  for await (const chunk of chunks)
    if (!process.stdout.write(chunk)) await new Promise<void>((resolve) => process.stdout.once("drain", resolve));
  return exitCode.ok;
}

async function pathFor(output: string | undefined, fileName: string): Promise<string> {
  // Its name comes from elsewhere: it is one name, and none that hides.
  const name = fileName.replace(/[\p{Cc}/\\:]/gu, "_").replace(/^\.+/, "_");
  if (output === undefined) return name;
  const isFolder =
    output.endsWith("/") ||
    output.endsWith(sep) ||
    ((await stat(output).catch(() => undefined))?.isDirectory() ?? false);
  return isFolder ? join(output, name) : output;
}

async function writeAll(file: FileHandle, chunk: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < chunk.length; ) {
    const { bytesWritten } = await file.write(chunk, done, chunk.length - done, at + done);
    done += bytesWritten;
  }
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.size ?? 0;
}
