import { maxPieceBytes, type Upload } from "@slipway/contract";
import type { Client } from "./client.ts";
import { ConnectionError, SlipwayError } from "./errors.ts";
import { pause } from "./pause.ts";
import { backoffMs } from "./retry-delay.ts";

export interface UploadOptions {
  readonly projectId: string;
  readonly type: string;
  readonly path: string;
  readonly mediaType?: string | undefined;
  /** What all bytes have as their digest, in hexadecimal; what arrives otherwise is refused. */
  readonly sha256?: string | undefined;
  /** An upload that was begun before: what it has is not sent again. */
  readonly uploadId?: string | undefined;
  readonly pieceBytes?: number;
  /** After each piece, and once before the first. */
  readonly onProgress?: (upload: Upload) => void;
  readonly signal?: AbortSignal | undefined;
  /** How often a piece may fail in a row. */
  readonly retries?: number;
}

const smallestPieceBytes = 64 * 1024;

/** Uploads an artifact piece by piece; a connection that breaks costs a piece at most. */
export async function uploadArtifact(client: Client, content: Blob, options: UploadOptions): Promise<Upload> {
  const { signal, onProgress, retries = 5 } = options;
  let { pieceBytes = maxPieceBytes / 2 } = options;
  let upload = await begin(client, content.size, options);
  onProgress?.(upload);
  for (let failures = 0; !upload.is_complete; ) {
    const { offset, upload_id } = upload;
    try {
      upload = await client.call("sendPiece", {
        params: { upload_id },
        headers: { "upload-offset": String(offset) },
        bytes: content.slice(offset, offset + pieceBytes),
        signal,
      });
      failures = 0;
      onProgress?.(upload);
    } catch (error) {
      failures += 1;
      if (!mayPass(error) || failures > retries) throw error;
      // On a slow line a piece may take longer than the service waits.
      pieceBytes = Math.max(Math.min(smallestPieceBytes, pieceBytes), Math.floor(pieceBytes / 2));
      await pause(backoffMs(failures), signal);
      // The piece may have arrived, and only its answer got lost.
      upload = await client.call("readUpload", { params: { upload_id }, signal });
    }
  }
  return upload;
}

async function begin(
  client: Client,
  size: number,
  { projectId, type, path, mediaType, sha256, uploadId, signal }: UploadOptions,
): Promise<Upload> {
  if (uploadId !== undefined) return client.call("readUpload", { params: { upload_id: uploadId }, signal });
  return client.call("beginUpload", {
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

function mayPass(error: unknown): boolean {
  return error instanceof ConnectionError || (error instanceof SlipwayError && error.isTransient);
}
