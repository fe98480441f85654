import { createHash } from "node:crypto";
import { basename } from "node:path/posix";
import { Readable } from "node:stream";
import type { Workspaces } from "../../engine/workspaces/index.ts";
import { BlobError, type BlobStore, type ByteRange } from "../../platform/blobs/index.ts";
import type { Database } from "../../platform/database/index.ts";
import { Refusal } from "../../platform/errors/index.ts";
import { isMachineFault, WorkspaceError } from "../../platform/git/index.ts";
import { type Answer, matchesEtag } from "../../platform/http/index.ts";
import { type ZipEntry, zipStream } from "../../platform/zip/index.ts";
import { sourceFolder, sourceType } from "./artifact-path.ts";
import { readRange } from "./byte-range.ts";
import { contentDisposition } from "./content-disposition.ts";
import { mediaTypeOf } from "./media-type.ts";
import { findProblem } from "./retention/store.ts";
import { findSourceCode, findSourceFile, sourceEntries, type WantedSource } from "./source-code.ts";
import { type ArtifactRow, findArtifact } from "./store.ts";

export interface DownloadDeps {
  readonly db: Database;
  readonly blobs: BlobStore;
  readonly workspaces: Workspaces;
}

export interface Wanted {
  readonly projectId: string;
  /** A type, a path, a directory or a file name. */
  readonly called: string;
  readonly checkpoint: string | undefined;
  /** Aborted once nobody waits for it any more. */
  readonly gone: AbortSignal;
}

/** The conditional headers of the request. */
export interface Conditions {
  readonly isHead: boolean;
  readonly ifNoneMatch: string | undefined;
  readonly range: string | undefined;
  readonly ifRange: string | undefined;
}

/** A file, which supports ranges, or a zip. */
interface Download {
  readonly fileName: string;
  readonly mediaType: string;
  /** The source of the ETag: the same for the same bytes. */
  readonly version: string;
  /** Undefined for a zip, whose size is only known at its end. */
  readonly sizeBytes?: number;
  /** Opens the bytes or, of a file, a range of them. */
  readonly open: (range?: ByteRange) => Promise<Readable>;
}

/** Answers a download: the whole, the requested range, or the headers only. */
export async function download(deps: DownloadDeps, wanted: Wanted, conditions: Conditions): Promise<Answer> {
  const found = await findDownload(deps, wanted);
  const { version, sizeBytes, fileName, mediaType } = found;
  const headers = {
    "content-type": mediaType,
    "content-disposition": contentDisposition(fileName),
    "content-security-policy": "sandbox",
    "accept-ranges": sizeBytes === undefined ? "none" : "bytes",
  };
  // Before anything is opened, which nobody would close.
  if (matchesEtag(conditions.ifNoneMatch, `"${version}"`)) return { status: 200, version, headers };
  const isSame = conditions.ifRange === undefined || conditions.ifRange === `"${version}"`;
  const range = isSame && sizeBytes !== undefined ? readRange(conditions.range, sizeBytes) : undefined;
  if (range === "unsatisfiable")
    throw new Refusal("range_not_satisfiable", `The file has ${sizeBytes} bytes.`, {
      headers: { "content-range": `bytes */${sizeBytes}` },
    });
  const length = range === undefined ? sizeBytes : range.end - range.start + 1;
  const sized = { ...headers, ...(length !== undefined && { "content-length": String(length) }) };
  const body = conditions.isHead ? Readable.from([]) : await opened(found, range);
  if (range === undefined) return { status: 200, version, headers: sized, body };
  const part = { ...sized, "content-range": `bytes ${range.start}-${range.end}/${sizeBytes}` };
  return { status: 206, version, headers: part, body };
}

async function opened({ open, fileName }: Download, range: ByteRange | undefined): Promise<Readable> {
  try {
    return await open(range);
  } catch (error) {
    throw isDamage(error) ? damaged(fileName, error) : error;
  }
}

async function findDownload(deps: DownloadDeps, wanted: Wanted): Promise<Download> {
  const { projectId, called, checkpoint, gone } = wanted;
  const inSource = sourcePath(called);
  if (inSource !== undefined) {
    const source = await findSource(deps, wanted);
    if (source === undefined) throw noSuchArtifact(called);
    if (inSource === "") return sourceZip(deps, { projectId, source, gone });
    return sourceFile(deps, { projectId, source, gone }, inSource);
  }
  const found = await findArtifact(deps.db, projectId, called, { checkpoint });
  if (found === undefined) throw noSuchArtifact(called);
  const { artifacts, matchedBy } = found;
  const [first] = artifacts;
  if (artifacts.length === 1 && matchedBy !== "directory") return storedFile(deps, first!);
  if (matchedBy === "name") throw ambiguous(called, artifacts);
  return storedZip(deps, called, artifacts);
}

/** The requested path in the source code: '' for all of it, undefined for another artifact. */
function sourcePath(called: string): string | undefined {
  if (called === sourceType || `${called}/` === sourceFolder) return "";
  const start = [sourceFolder, `${sourceType}/`].find((folder) => called.startsWith(folder));
  return start === undefined ? undefined : called.slice(start.length);
}

async function findSource(deps: DownloadDeps, wanted: Wanted) {
  const { projectId, called, gone: signal } = wanted;
  try {
    const source = await findSourceCode(deps, wanted);
    // Another node may have built it: fetch it first.
    if (source !== undefined) await deps.workspaces.open(projectId, source.head, { signal });
    return source;
  } catch (error) {
    throw isDamage(error) ? damaged(called, error) : error;
  }
}

function sourceZip(deps: DownloadDeps, wanted: WantedSource): Download {
  const { tree } = wanted.source;
  return {
    fileName: `${sourceType}.zip`,
    mediaType: "application/zip",
    version: `${tree.tree}-${tree.modified.getTime() / 1000}`,
    open: async () => streamOf(zipStream(sourceEntries(deps, wanted))),
  };
}

async function sourceFile(deps: DownloadDeps, wanted: WantedSource, path: string): Promise<Download> {
  const file = await findSourceFile(deps, wanted, path);
  if (file === undefined) throw noSuchArtifact(`${sourceFolder}${path}`);
  return {
    fileName: basename(path),
    mediaType: mediaTypeOf(path),
    version: file.id,
    sizeBytes: file.sizeBytes,
    open: async (range) => streamOf(range === undefined ? file.open() : partOf(file.open(), range)),
  };
}

async function storedFile({ db, blobs }: DownloadDeps, row: ArtifactRow): Promise<Download> {
  const { path, digest, size_bytes, media_type } = row;
  await refuseDamaged(db, [row]);
  return {
    fileName: basename(path),
    mediaType: media_type === "application/octet-stream" ? mediaTypeOf(path) : media_type,
    version: digest,
    sizeBytes: size_bytes,
    open: (range) => blobs.open(digest, range),
  };
}

async function storedZip({ db, blobs }: DownloadDeps, called: string, rows: readonly ArtifactRow[]): Promise<Download> {
  await refuseDamaged(db, rows);
  // Opened before the answer begins, so that a missing blob is still answered with a problem.
  for (const { digest, path } of rows)
    if (!(await blobs.has(digest))) throw damaged(path, new BlobError("blob_missing", `There is no blob ${digest}.`));
  const manifest = rows.map(({ path, digest, modified }) => `${digest} ${modified.getTime()} ${path}\n`).join("");
  return {
    fileName: `${basename(called)}.zip`,
    mediaType: "application/zip",
    version: createHash("sha256").update(manifest).digest("hex"),
    open: async () => streamOf(zipStream(storedEntries(blobs, rows))),
  };
}

async function* storedEntries(blobs: BlobStore, rows: readonly ArtifactRow[]): AsyncGenerator<ZipEntry> {
  for (const { path, digest, size_bytes, modified } of rows)
    yield { path, kind: "file", modified, sizeBytes: size_bytes, content: await blobs.open(digest) };
}

async function refuseDamaged(db: Database, rows: readonly ArtifactRow[]): Promise<void> {
  for (const { digest, path } of rows) {
    const problem = await findProblem(db, digest);
    if (problem !== null) throw damaged(path, new BlobError(`blob_${problem}`, `The blob ${digest} is ${problem}.`));
  }
}

async function* partOf(source: AsyncIterable<Uint8Array>, { start, end }: ByteRange): AsyncGenerator<Uint8Array> {
  let at = 0;
  for await (const chunk of source) {
    const part = chunk.subarray(Math.max(0, start - at), Math.max(0, end + 1 - at));
    at += chunk.length;
    if (part.length > 0) yield part;
    if (at > end) return;
  }
}

/** A byte stream, not an object stream, so that little is read ahead of a slow client. */
function streamOf(source: AsyncIterable<Uint8Array>): Readable {
  return Readable.from(source, { objectMode: false, highWaterMark: 256 * 1024 });
}

function ambiguous(called: string, artifacts: readonly ArtifactRow[]): Refusal {
  const paths = artifacts.map(({ path }) => path);
  const shown = paths.slice(0, 20).map((path) => `'${path}'`);
  return new Refusal(
    "conflict",
    `Several artifacts are called '${called}': ${shown.join(", ")}${paths.length > 20 ? ", …" : ""}. Name one by its path.`,
    { errors: paths.slice(0, 100).map((path) => ({ code: "candidate", message: path, pointer: "" })) },
  );
}

/** Not where a store cannot be reached, or the machine is at fault: the bytes are there, and nobody should restore a backup. */
function isDamage(error: unknown): boolean {
  if (error instanceof WorkspaceError) return !isMachineFault(error);
  return error instanceof BlobError && (error.code === "blob_missing" || error.code === "blob_changed");
}

function damaged(path: string, cause: unknown): Refusal {
  return new Refusal(
    "artifact_damaged",
    `The bytes of '${path}' are missing or damaged in the artifacts' store. Restore the store from a backup, or let the project make it again.`,
    { cause },
  );
}

function noSuchArtifact(called: string): Refusal {
  return new Refusal("not_found", `The project has no artifact '${called}'.`);
}
