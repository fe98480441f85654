import type { ArtifactType } from "@slipway/blueprints";
import type { BlobStore } from "../platform/blobs/index.ts";
import type { Failure } from "../platform/errors/index.ts";
import { compileGlob, newGlobSteps } from "../platform/glob.ts";
import { takeTurns } from "../platform/in-turns.ts";
import { oneLine } from "../platform/one-line.ts";
import { FileRefusal, type FolderEntry, openProjectFile, walkProjectFiles } from "../platform/project-files/index.ts";
import { SecretFinder } from "../platform/secrets/index.ts";
import { evidenceFolder } from "./verdict.ts";

const maxFiles = 200;
const maxBytes = 64 * 1024 * 1024;

/** A file of the result that is stored as an artifact. */
interface CollectedArtifact {
  readonly type: string;
  readonly path: string;
  readonly digest: string;
  readonly size: number;
  readonly mediaType: string;
}

/** What was stored, or why it is too much. */
export type CollectedArtifacts = { readonly artifacts: readonly CollectedArtifact[] } | { readonly error: Failure };

interface CollectOptions {
  /** The document's secrets by name: scripts had them, and may have written them anywhere. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** Not the project's own: git's files, and what a package manager installs. */
const leftOut = [".git", "node_modules"];

/** Stores the project files that match the artifact types of plugins; links are not followed. */
export async function collectArtifacts(
  blobs: Pick<BlobStore, "put">,
  projectFolder: string,
  types: readonly ArtifactType[],
  { secrets, signal }: CollectOptions,
): Promise<CollectedArtifacts> {
  const finder = new SecretFinder(Object.values(secrets));
  if (types.every(({ paths = [] }) => paths.length === 0)) return { artifacts: [] };
  const steps = newGlobSteps();
  const kinds = types.map(({ name, paths = [] }) => ({ name, globs: paths.map((path) => compileGlob(path, steps)) }));
  const turn = takeTurns(signal);
  const artifacts: CollectedArtifact[] = [];
  let bytes = 0;
  const globs = types.flatMap(({ paths = [] }) => paths);
  let misnamed: string | undefined;
  const onOddName = (path: string, kind: FolderEntry["kind"]) => {
    if (kind !== "other" && kind !== "link" && couldHold(path, kind, globs)) misnamed ??= path;
  };
  const walk = { leavesOut: (name: string) => leftOut.includes(name), onOddName, signal };
  for await (const { path, kind } of walkProjectFiles(projectFolder, walk)) {
    if (kind !== "file") continue;
    await turn();
    let isTaken = isOurs(path);
    for (const { name } of kinds.filter(({ globs }) => globs.some((matches) => matches?.(path)))) {
      if (artifacts.length === maxFiles) return tooMuch(name);
      if ((await finder.findIn([Buffer.from(path)])).size > 0) return secretInName(name);
      if (await hasSecret(finder, projectFolder, path, signal)) return secretFound(path);
      const stored = await store(blobs, projectFolder, path, { maxBytes: maxBytes - bytes, signal });
      if (stored === undefined) return tooMuch(name);
      bytes += stored.size;
      const place = isTaken ? `${byType}${encodeURIComponent(name)}/${path}` : path;
      artifacts.push({ type: name, path: place, ...stored, mediaType: "application/octet-stream" });
      isTaken = true;
    }
  }
  return misnamed === undefined ? { artifacts } : oddName(misnamed);
}

/** A path is one artifact's: a project's file is stored here where we have our own, or it is of another type already. */
const byType = "by-type/";
const ourFolders = [evidenceFolder, byType, "deployment/", "intermediate/", "logs/", "patches/", "reviews/", "source/"];
const ourFiles = ["merge-report.json", "tasks.yaml"];

function isOurs(path: string): boolean {
  return ourFiles.includes(path) || ourFolders.some((folder) => path.startsWith(folder));
}

/** Whether a file, or one in a folder, would match. */
function couldHold(path: string, kind: "file" | "folder", globs: readonly string[]): boolean {
  return globs.some((glob) => {
    // Below the folder, the last part of the pattern stands for all that it matches.
    const inner = kind === "file" ? path : `${path}/${glob.split("/").at(-1)}`;
    return compileGlob(glob)?.(inner) ?? false;
  });
}

async function hasSecret(
  finder: SecretFinder,
  folder: string,
  path: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  if (finder.isIdle) return false;
  const file = await openProjectFile(folder, path, { maxBytes: Number.POSITIVE_INFINITY, signal });
  try {
    return file.sizeBytes <= maxBytes && (await finder.findIn(file.chunks())).size > 0;
  } finally {
    await file.close();
  }
}

/** Undefined if the file is too large. */
async function store(
  blobs: Pick<BlobStore, "put">,
  folder: string,
  path: string,
  options: { readonly maxBytes: number; readonly signal: AbortSignal | undefined },
): Promise<{ readonly digest: string; readonly size: number } | undefined> {
  try {
    const file = await openProjectFile(folder, path, options);
    try {
      const { digest, size } = await blobs.put(file.chunks());
      return { digest, size };
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof FileRefusal && error.code === "too_large") return undefined;
    throw error;
  }
}

function secretFound(path: string): CollectedArtifacts {
  const message = `'${path}' contains the value of a secret, so it is not stored. Keep secrets out of what scripts make.`;
  return { error: { code: "secret_found", message } };
}

function secretInName(type: string): CollectedArtifacts {
  const message = `The name of a file of '${type}' contains the value of a secret, so it is not stored. Keep secrets out of what scripts make.`;
  return { error: { code: "secret_found", message } };
}

function oddName(path: string): CollectedArtifacts {
  const message = `'${oneLine(path, 200)}' has a name that is not valid UTF-8, so no artifact of it can be stored. Rename it.`;
  return { error: { code: "unacceptable_file", message } };
}

function tooMuch(type: string): CollectedArtifacts {
  const limit = `${maxFiles} files and ${maxBytes / 2 ** 20} MiB`;
  return {
    error: { code: "too_many_artifacts", message: `There is more of '${type}' than can be stored: at most ${limit}.` },
  };
}
