import type { Readable } from "node:stream";

/** Bytes by what they are: the digest is their SHA-256, in hexadecimal. The same bytes are kept once. */
export interface BlobStore {
  /** Keeps the bytes; when it resolves, they outlive a crash. */
  put(source: Uint8Array | AsyncIterable<Uint8Array>): Promise<StoredBlob>;
  open(digest: string): Promise<Readable>;
  read(digest: string): Promise<Buffer>;
  has(digest: string): Promise<boolean>;
  /** Also when there is none. */
  remove(digest: string): Promise<void>;
}

export interface StoredBlob {
  readonly digest: string;
  readonly size: number;
}

export type BlobErrorCode = "no_space" | "blob_missing";

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
