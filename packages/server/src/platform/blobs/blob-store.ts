import type { Readable } from "node:stream";

/** Bytes by what they are: the digest is their SHA-256, in hexadecimal. The same bytes are kept once. */
export interface BlobStore {
  /** Keeps the bytes; when it resolves, they outlive a crash. */
  put(source: Uint8Array | AsyncIterable<Uint8Array>, options?: PutOptions): Promise<StoredBlob>;
  /** The bytes, or a part of them. */
  open(digest: string, range?: ByteRange): Promise<Readable>;
  read(digest: string): Promise<Buffer>;
  has(digest: string): Promise<boolean>;
}

/** Where the bytes lie. */
export interface BlobBackend extends BlobStore {
  /** Also when there is none. When the signal is given, nothing is removed any more. */
  remove(digest: string, signal?: AbortSignal): Promise<void>;
  /** All that are there, in no order. */
  digests(): AsyncIterable<StoredBlob>;
}

export interface PutOptions {
  /** Whose they are: that project's quota counts. */
  readonly projectId?: string;
  /** Once the digest is known, and before it is looked for or kept. */
  readonly beforeStored?: (blob: StoredBlob) => Promise<void>;
  /** Written also where it is there already: for one that is damaged. */
  readonly isAnew?: () => boolean;
}

/** From the first byte to the last, both counted. */
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

/** Digests become paths and keys: nothing else may take their place. */
export function requireDigest(text: string): string {
  if (!/^[0-9a-f]{64}$/.test(text)) throw new Error(`'${text}' is not a SHA-256 digest.`);
  return text;
}
