import type { Readable } from "node:stream";

/** Content-addressed storage: the digest is the SHA-256 of the bytes, in hexadecimal. Equal bytes are stored once. */
export interface BlobStore {
  /** Stores the bytes durably: when it resolves, they survive a crash. */
  put(source: Uint8Array | AsyncIterable<Uint8Array>, options?: PutOptions): Promise<StoredBlob>;
  /** Reads the bytes, or a range of them. */
  open(digest: string, range?: ByteRange): Promise<Readable>;
  read(digest: string): Promise<Buffer>;
  has(digest: string): Promise<boolean>;
}

/** A store that can also list and remove its blobs: a folder or a bucket. */
export interface BlobBackend extends BlobStore {
  /** Does nothing for a missing blob. After an abort, it removes nothing. */
  remove(digest: string, signal?: AbortSignal): Promise<void>;
  /** Lists all blobs, in no order. */
  digests(): AsyncIterable<StoredBlob>;
}

export interface PutOptions {
  /** Whose quota the bytes count against. */
  readonly ownerId?: string;
  /** Whether it is refused rather than take what the disk keeps in reserve: nobody knows how much a stranger sends. */
  readonly leavesReserve?: boolean;
  /** Called once the digest is known, before the blob is stored. */
  readonly beforeStored?: (blob: StoredBlob) => Promise<void>;
  /** Whether to write the blob even if it exists, because it is damaged. */
  readonly overwrites?: () => boolean;
}

/** From the first byte to the last, both included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface StoredBlob {
  readonly digest: string;
  readonly size: number;
}

export type BlobErrorCode = "no_space" | "blob_missing" | "blob_changed" | "quota_exceeded" | "store_unavailable";

export class BlobError extends Error {
  override readonly name = "BlobError";
  readonly code: BlobErrorCode;

  constructor(code: BlobErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Throws for anything but a digest, since digests become paths and keys. */
export function requireDigest(text: string): string {
  if (!/^[0-9a-f]{64}$/.test(text)) throw new Error(`'${text}' is not a SHA-256 digest.`);
  return text;
}
