import type { Caller } from "./caller.ts";
import { ConnectionError } from "./errors.ts";
import { pause } from "./pause.ts";
import { backoffMs } from "./retry-delay.ts";

export interface DownloadOptions {
  readonly projectId: string;
  /** A type, a path, a directory or a file name. */
  readonly artifact: string;
  readonly checkpoint?: string | undefined;
  /** Resumes at this offset: the caller has the bytes before it, from a response with this ETag. */
  readonly from?: { readonly offset: number; readonly etag: string } | undefined;
  readonly signal?: AbortSignal | undefined;
  /** How often the connection may break in a row without a byte in between. */
  readonly retries?: number;
}

/** A download in progress. */
export interface ArtifactDownload {
  readonly fileName: string;
  readonly mediaType: string;
  /** For a file, its digest; resuming requires the same value. */
  readonly etag: string;
  /** Undefined if the service creates the content while it sends it. */
  readonly sizeBytes: number | undefined;
  /** The offset of the first chunk: 0 unless the download was resumed. */
  readonly offset: number;
  /** The bytes. A broken connection is resumed where possible. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Ends the download without reading the bytes. */
  cancel(): Promise<void>;
}

/** Starts to download an artifact; returns when the headers have arrived. */
export async function downloadArtifact(caller: Caller, options: DownloadOptions): Promise<ArtifactDownload> {
  const { from, signal, retries = 5 } = options;
  const first = await request(caller, options, from);
  const { headers } = first;
  const etag = headers.get("etag") ?? "";
  const offset = first.status === 206 ? (from?.offset ?? 0) : 0;
  const sizeBytes = totalOf(headers);
  const canResume = headers.get("accept-ranges") === "bytes" && sizeBytes !== undefined;
  return {
    fileName: fileNameOf(headers.get("content-disposition") ?? "") ?? "artifact",
    mediaType: headers.get("content-type") ?? "application/octet-stream",
    etag,
    sizeBytes,
    offset,
    cancel: async () => first.body?.cancel(),
    chunks: resuming(),
  };

  async function* resuming(): AsyncGenerator<Uint8Array, void, void> {
    let at = offset;
    let failures = 0;
    for (let response = first; ; ) {
      try {
        for await (const chunk of chunksOf(response)) {
          at += chunk.length;
          failures = 0;
          yield chunk;
        }
        return;
      } catch (error) {
        signal?.throwIfAborted();
        failures += 1;
        const broken = new ConnectionError({ method: "GET", url: response.url }, error);
        if (!canResume || failures > retries) throw broken;
        await pause(backoffMs(failures), signal);
        response = await request(caller, options, { offset: at, etag });
        // The artifact has changed since: the bytes received so far belong to the old version.
        if (response.status !== 206 && at > 0) throw broken;
      }
    }
  }
}

/** By a reader: not every browser iterates over a body. */
async function* chunksOf({ body }: Response): AsyncGenerator<Uint8Array, void, void> {
  const reader = body?.getReader();
  if (reader === undefined) return;
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
  } finally {
    // Also when whoever takes the bytes stops early.
    await reader.cancel().catch(() => undefined);
  }
}

function request(
  caller: Caller,
  { projectId, artifact, checkpoint, signal }: DownloadOptions,
  from: DownloadOptions["from"],
): Promise<Response> {
  return caller.send("downloadArtifact", {
    params: { project_id: projectId, artifact },
    query: checkpoint === undefined ? {} : { checkpoint },
    ...(from !== undefined && { headers: { range: `bytes=${from.offset}-`, "if-range": from.etag } }),
    signal,
  });
}

function totalOf(headers: Headers): number | undefined {
  const [, total] = /\/(\d+)$/.exec(headers.get("content-range") ?? "") ?? [];
  const length = total ?? headers.get("content-length");
  return length === null ? undefined : Number(length);
}

/** The file name in the header, without any folder. */
function fileNameOf(disposition: string): string | undefined {
  const [, encoded] = /filename\*=UTF-8''([^;]+)/i.exec(disposition) ?? [];
  const [, plain] = /filename="([^"]*)"/.exec(disposition) ?? [];
  const name = (encoded === undefined ? plain : decode(encoded))?.split(/[/\\]/).at(-1);
  return name === undefined || /^\.{0,2}$/.test(name) ? undefined : name;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
