import { createReadStream } from "node:fs";
import { glob, lstat } from "node:fs/promises";
import { join } from "node:path";
import type { ArtifactType } from "@slipway/blueprints";
import type { BlobStore } from "../platform/blobs/index.ts";
import type { Failure } from "../platform/errors/index.ts";

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

/** Stores the project files that match the artifact types of plugins; links are not followed. */
export async function collectArtifacts(
  blobs: Pick<BlobStore, "put">,
  projectFolder: string,
  types: readonly ArtifactType[],
): Promise<CollectedArtifacts> {
  const artifacts: CollectedArtifact[] = [];
  let bytes = 0;
  for (const { name, paths = [] } of types) {
    for await (const path of glob([...paths], { cwd: projectFolder, exclude: [".git/**", "node_modules/**"] })) {
      const file = join(projectFolder, path);
      const found = await lstat(file);
      if (!found.isFile() || path.startsWith("..")) continue;
      bytes += found.size;
      if (artifacts.length === maxFiles || bytes > maxBytes) return tooMuch(name);
      const { digest, size } = await blobs.put(createReadStream(file));
      artifacts.push({ type: name, path, digest, size, mediaType: "application/octet-stream" });
    }
  }
  return { artifacts };
}

function tooMuch(type: string): CollectedArtifacts {
  const limit = `${maxFiles} files and ${maxBytes / 2 ** 20} MiB`;
  return {
    error: { code: "too_many_artifacts", message: `There is more of '${type}' than can be stored: at most ${limit}.` },
  };
}
