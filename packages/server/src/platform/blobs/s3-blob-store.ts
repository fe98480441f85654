import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { type Readable, Transform } from "node:stream";
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { maxOpenFiles } from "../process/index.ts";
import {
  type BlobBackend,
  BlobError,
  type ByteRange,
  type PutOptions,
  requireDigest,
  type StoredBlob,
} from "./blob-store.ts";
import { Spool } from "./spool.ts";

/** A bucket of an S3-compatible service. */
export interface S3Options {
  readonly bucket: string;
  /** Undefined: AWS. */
  readonly endpoint: string | undefined;
  readonly region: string;
  readonly prefix: string;
  /** Whether the bucket is part of the path, not of the host name. */
  readonly isPathStyle: boolean;
  /** Undefined: the default credentials of the AWS SDK. */
  readonly key: { readonly id: string; readonly secret: string } | undefined;
}

/** Larger blobs are uploaded in parts of this size. */
const partBytes = 8 * 1024 * 1024;
/** Connections for bodies: who reads one may take as long as they like, and must not keep others from the store. */
const maxReaders = Math.max(50, Math.floor(maxOpenFiles() / 4));
/** The limit of S3 for one upload. */
const maxParts = 10_000;

/**
 * Blobs as objects of a bucket, by their digest. Bytes are written to a local file first, because the digest is the name of
 * the object. S3 verifies the SHA-256 of each part; an object that is read whole is verified again here.
 */
export class S3BlobStore implements BlobBackend {
  readonly #client: S3Client;
  /** For bodies alone. */
  readonly #readers: S3Client;
  readonly #options: S3Options;
  readonly #spool: Spool;

  private constructor(
    { client, readers }: { readonly client: S3Client; readonly readers: S3Client },
    options: S3Options,
    spool: Spool,
  ) {
    this.#client = client;
    this.#readers = readers;
    this.#options = options;
    this.#spool = spool;
  }

  /** Checks the bucket at once, so that a wrong key is reported at the start. */
  static async open(options: S3Options, folder: string): Promise<S3BlobStore> {
    const { bucket, endpoint, region, isPathStyle, key } = options;
    const connect = (agent: { readonly maxSockets?: number }) =>
      new S3Client({
        region,
        forcePathStyle: isPathStyle,
        maxAttempts: 4,
        // The store sends SHA-256 itself; not every service understands the other checksums of the SDK.
        requestChecksumCalculation: "WHEN_REQUIRED",
        responseChecksumValidation: "WHEN_REQUIRED",
        requestHandler: { connectionTimeout: 5_000, socketTimeout: 60_000, httpAgent: agent, httpsAgent: agent },
        ...(endpoint !== undefined && { endpoint }),
        ...(key !== undefined && { credentials: { accessKeyId: key.id, secretAccessKey: key.secret } }),
      });
    const client = connect({});
    await client.send(new HeadBucketCommand({ Bucket: bucket })).catch((error: unknown) => {
      const where = endpoint === undefined ? "AWS" : (URL.parse(endpoint)?.host ?? "S3");
      throw new BlobError(
        "store_unavailable",
        `The bucket '${bucket}' of ${where} cannot be used for artifacts: ${reasonOf(error)}. Check s3_bucket, s3_endpoint, s3_region and the key.`,
        { cause: error },
      );
    });
    return new S3BlobStore({ client, readers: connect({ maxSockets: maxReaders }) }, options, await Spool.open(folder));
  }

  async put(
    source: Uint8Array | AsyncIterable<Uint8Array>,
    { beforeStored = async () => undefined, overwrites = () => false, leavesReserve }: PutOptions = {},
  ): Promise<StoredBlob> {
    const send = async (path: string, blob: StoredBlob) => {
      await beforeStored(blob);
      // What is between may answer for S3.
      if (overwrites() || (await this.#head(blob.digest))?.size !== blob.size) await this.#send(path, blob);
      return blob;
    };
    return this.#spool.with(source instanceof Uint8Array ? [source] : source, send, leavesReserve);
  }

  async open(digest: string, range?: ByteRange): Promise<Readable> {
    const { Body, ContentLength, $metadata } = await this.#ask(digest, () =>
      this.#readers.send(
        new GetObjectCommand({
          ...this.#object(digest),
          ...(range !== undefined && { Range: `bytes=${range.start}-${range.end}` }),
        }),
      ),
    );
    const body = Body as Readable;
    // A part that is all of an object may be answered as a whole.
    const isAll = range?.start === 0 && ContentLength === range.end + 1;
    if (range !== undefined && $metadata.httpStatusCode !== 206 && !isAll) {
      body.destroy();
      throw unavailable(new Error("it gives all of an object where a part was asked for"));
    }
    if (range !== undefined) return body;
    const checked = checkedAgainst(digest);
    body.once("error", (error) => checked.destroy(unavailable(error)));
    // A reader that stops also ends the request.
    checked.once("close", () => body.destroy());
    return body.pipe(checked);
  }

  async read(digest: string): Promise<Buffer> {
    return Buffer.concat(await Array.fromAsync((await this.open(digest)) as AsyncIterable<Buffer>));
  }

  async has(digest: string): Promise<boolean> {
    return (await this.#head(digest)) !== undefined;
  }

  async #head(digest: string): Promise<{ readonly size: number | undefined } | undefined> {
    try {
      const head = new HeadObjectCommand(this.#object(digest));
      const { ContentLength } = await this.#ask(digest, () => this.#client.send(head));
      return { size: ContentLength };
    } catch (error) {
      if (error instanceof BlobError && error.code === "blob_missing") return undefined;
      throw error;
    }
  }

  async remove(digest: string, signal?: AbortSignal): Promise<void> {
    const options = signal === undefined ? {} : { abortSignal: signal };
    await this.#ask(digest, () => this.#client.send(new DeleteObjectCommand(this.#object(digest)), options));
  }

  async *digests(): AsyncGenerator<StoredBlob> {
    const { bucket, prefix } = this.#options;
    let token: string | undefined;
    do {
      const page = await this.#client
        .send(new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, ContinuationToken: token }))
        .catch((error: unknown) => {
          throw unavailable(error);
        });
      for (const { Key = "", Size = 0 } of page.Contents ?? []) {
        const digest = Key.slice(prefix.length).replace("/", "");
        if (/^[0-9a-f]{64}$/.test(digest)) yield { digest, size: Size };
      }
      const next = page.NextContinuationToken || undefined;
      if (next !== undefined && next === token) throw unavailable(new Error("it gives the same page again and again"));
      token = next;
    } while (token !== undefined);
  }

  async #send(path: string, { digest, size }: StoredBlob): Promise<void> {
    const file = await open(path, "r");
    try {
      if (size > partBytes) return await this.#sendParts(digest, size, (at, length) => readPart(file, at, length));
      const Body = await readPart(file, 0, size);
      const ChecksumSHA256 = Buffer.from(digest, "hex").toString("base64");
      await this.#ask(digest, () =>
        this.#client.send(new PutObjectCommand({ ...this.#object(digest), Body, ContentLength: size, ChecksumSHA256 })),
      );
    } finally {
      await file.close();
    }
  }

  /** The object appears once all parts are uploaded. */
  async #sendParts(digest: string, size: number, read: (at: number, length: number) => Promise<Buffer>): Promise<void> {
    const object = this.#object(digest);
    const length = Math.max(partBytes, Math.ceil(size / maxParts));
    const { UploadId } = await this.#ask(digest, () =>
      this.#client.send(new CreateMultipartUploadCommand({ ...object, ChecksumAlgorithm: "SHA256" })),
    );
    try {
      const Parts: CompletedPart[] = [];
      for (let at = 0, PartNumber = 1; at < size; at += length, PartNumber += 1) {
        const Body = await read(at, Math.min(length, size - at));
        const ChecksumSHA256 = createHash("sha256").update(Body).digest("base64");
        const part = { ...object, UploadId, PartNumber, Body, ContentLength: Body.length, ChecksumSHA256 };
        const { ETag } = await this.#ask(digest, () => this.#client.send(new UploadPartCommand(part)));
        Parts.push({ ETag, PartNumber, ChecksumSHA256 });
      }
      await this.#ask(digest, () =>
        this.#client.send(new CompleteMultipartUploadCommand({ ...object, UploadId, MultipartUpload: { Parts } })),
      );
    } catch (error) {
      // Unfinished parts cost money. If removing them fails too, the first error matters more.
      await this.#client.send(new AbortMultipartUploadCommand({ ...object, UploadId })).catch(() => undefined);
      throw error;
    }
  }

  async #ask<T>(digest: string, request: () => Promise<T>): Promise<T> {
    try {
      return await request();
    } catch (error) {
      if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404)
        throw new BlobError("blob_missing", `The blob ${digest} is missing.`, { cause: error });
      throw unavailable(error);
    }
  }

  #object(digest: string): { Bucket: string; Key: string } {
    requireDigest(digest);
    const { bucket, prefix } = this.#options;
    return { Bucket: bucket, Key: `${prefix}${digest.slice(0, 2)}/${digest.slice(2)}` };
  }
}

async function readPart(
  file: { read(buffer: Buffer, offset: number, length: number, at: number): Promise<{ bytesRead: number }> },
  at: number,
  length: number,
): Promise<Buffer> {
  const part = Buffer.allocUnsafe(length);
  for (let done = 0; done < length; ) {
    const { bytesRead } = await file.read(part, done, length - done, at + done);
    if (bytesRead === 0) throw new Error("A file became shorter while it was sent.");
    done += bytesRead;
  }
  return part;
}

/** Passes bytes on; fails at the end if they do not match the digest. */
function checkedAgainst(digest: string): Transform {
  const hash = createHash("sha256");
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
    flush(done) {
      if (hash.digest("hex") === digest) done();
      else done(new BlobError("blob_changed", `The blob ${digest} does not match its digest.`));
    },
  });
}

function unavailable(error: unknown): BlobError {
  return new BlobError("store_unavailable", `The store for artifacts cannot be reached: ${reasonOf(error)}.`, {
    cause: error,
  });
}

/** Never the whole error, which may contain the request and its key. */
function reasonOf(error: unknown): string {
  const { name, message, $metadata } = error as {
    name?: string;
    message?: string;
    $metadata?: { httpStatusCode?: number };
  };
  const status = $metadata?.httpStatusCode;
  const text = message && message !== "UnknownError" ? message : (name ?? "unknown");
  return status === undefined ? text : `${text} (${status})`;
}
