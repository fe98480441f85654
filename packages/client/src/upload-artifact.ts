import type { Upload } from "@slipway/contract";
import type { Caller } from "./caller.ts";
import { ConnectionError, SlipwayError } from "./errors.ts";
import { pause } from "./pause.ts";
import { backoffMs } from "./retry-delay.ts";
import { maxPieceBytes } from "./routes.ts";

export interface UploadOptions {
  readonly projectId: string;
  readonly type: string;
  readonly path: string;
  readonly mediaType?: string | undefined;
  /** The digest of the whole content in hexadecimal; the service refuses content that does not match. */
  readonly sha256?: string | undefined;
  /** Continues this upload; bytes that arrived are not sent again. */
  readonly uploadId?: string | undefined;
  readonly chunkBytes?: number;
  /** Called before the first chunk and after each one. */
  readonly onProgress?: (upload: Upload) => void;
  readonly signal?: AbortSignal | undefined;
  /** How often a chunk may fail in a row. */
  readonly retries?: number;
}

const minChunkBytes = 64 * 1024;

/** Uploads an artifact in chunks; a broken connection costs at most one chunk. */
export async function uploadArtifact(caller: Caller, content: Blob, options: UploadOptions): Promise<Upload> {
  const { signal, onProgress, retries = 5 } = options;
  let { chunkBytes = maxPieceBytes / 2 } = options;
  let upload = await start(caller, content.size, options);
  onProgress?.(upload);
  for (let failures = 0; !upload.is_complete; ) {
    const { offset, upload_id } = upload;
    try {
      upload = await caller.call("sendPiece", {
        params: { upload_id },
        headers: { "upload-offset": String(offset) },
        bytes: content.slice(offset, offset + chunkBytes),
        signal,
      });
      failures = 0;
      onProgress?.(upload);
    } catch (error) {
      failures += 1;
      if (!isRetryable(error) || failures > retries) throw error;
      // On a slow connection a chunk may take longer than the service waits.
      chunkBytes = Math.max(Math.min(minChunkBytes, chunkBytes), Math.floor(chunkBytes / 2));
      await pause(backoffMs(failures), signal);
      // The chunk may have arrived even though the response was lost.
      upload = await caller.call("readUpload", { params: { upload_id }, signal });
    }
  }
  return upload;
}

async function start(
  caller: Caller,
  size: number,
  { projectId, type, path, mediaType, sha256, uploadId, signal }: UploadOptions,
): Promise<Upload> {
  if (uploadId !== undefined) return caller.call("readUpload", { params: { upload_id: uploadId }, signal });
  return caller.call("beginUpload", {
    params: { project_id: projectId },
    body: {
      type,
      path,
      size_bytes: size,
      ...(mediaType !== undefined && { media_type: mediaType }),
      ...(sha256 !== undefined && { sha256 }),
    },
    signal,
  });
}

function isRetryable(error: unknown): boolean {
  return error instanceof ConnectionError || (error instanceof SlipwayError && error.isTransient);
}
