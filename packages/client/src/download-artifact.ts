import type { Client } from "./client.ts";
import { ConnectionError } from "./errors.ts";
import { pause } from "./pause.ts";
import { backoffMs } from "./retry-delay.ts";

export interface DownloadOptions {
  readonly projectId: string;
  /** A type, a path, a directory or a file name. */
  readonly artifact: string;
  readonly checkpoint?: string | undefined;
  /** Where to go on, and of what: the bytes before it are here already, from an answer with that ETag. */
  readonly from?: { readonly offset: number; readonly etag: string } | undefined;
  readonly signal?: AbortSignal | undefined;
  /** How often a connection that breaks may do so without a byte between. */
  readonly retries?: number;
}

/** An artifact that is being downloaded. */
export interface ArtifactDownload {
  readonly fileName: string;
  readonly mediaType: string;
  /** Of a file its digest; it is asked for again by it. */
  readonly etag: string;
  /** Nothing: it is made while it is sent. */
  readonly sizeBytes: number | undefined;
  /** Where the chunks begin: 0, unless a part was asked for and could be had. */
  readonly offset: number;
  /** The bytes. A connection that breaks is made again where it was, as far as that can be done. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Says that nobody wants the bytes. */
  cancel(): Promise<void>;
}

/** Begins to download an artifact; answers as soon as it is known what comes. */
export async function downloadArtifact(client: Client, options: DownloadOptions): Promise<ArtifactDownload> {
  const { from, signal, retries = 5 } = options;
  const first = await ask(client, options, from);
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
        for await (const chunk of response.body ?? []) {
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
        response = await ask(client, options, { offset: at, etag });
        // It is another by now: what came before does not belong to it.
        if (response.status !== 206 && at > 0) throw broken;
      }
    }
  }
}

function ask(
  client: Client,
  { projectId, artifact, checkpoint, signal }: DownloadOptions,
  from: DownloadOptions["from"],
): Promise<Response> {
  return client.send("downloadArtifact", {
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

/** The last name of what the header says, whatever it says before. */
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
