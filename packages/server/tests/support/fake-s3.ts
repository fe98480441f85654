import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { whenDone } from "./when-done.ts";

/** A service that speaks as much of S3's REST as a store of blobs needs, with the bucket in the path. */
export class FakeS3 {
  readonly bucket = "artifacts";
  readonly objects = new Map<string, Buffer>();
  readonly #uploads = new Map<string, Map<number, Buffer>>();
  /** Requests that are answered with 500 from now on. */
  failures = 0;
  /** Whether the key is refused, which nobody tries again. */
  isLocked = false;
  /** How all questions for the head of an object are answered, as by something between, without a length. */
  headsOfAll: number | undefined;
  /** Whether whoever asks for a part gets all. */
  givesNoParts = false;
  /** The token of a last page, which needs none. */
  lastToken: string | undefined;
  /** Removals wait for this before they are carried out. */
  beforeDelete: Promise<void> = Promise.resolve();
  /** Method and path of all requests, with what they ask for. */
  readonly asked: string[] = [];
  url = "";

  get openUploads(): number {
    return this.#uploads.size;
  }

  async listen(): Promise<this> {
    const server = createServer((request, response) => void this.#answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    whenDone(() => {
      server.closeAllConnections();
      server.close();
    });
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return this;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams: query } = new URL(request.url ?? "", "http://x");
    const body = await buffer(request);
    const method = request.method ?? "";
    this.asked.push(`${method} ${pathname}`);
    const [, bucket, ...rest] = pathname.split("/");
    const key = decodeURIComponent(rest.join("/"));
    if (this.isLocked || !/Credential=the-key\//.test(request.headers.authorization ?? ""))
      return refuse(response, 403, "InvalidAccessKeyId");
    if (this.failures > 0) {
      this.failures -= 1;
      return refuse(response, 500, "InternalError");
    }
    if (bucket !== this.bucket) return refuse(response, 404, "NoSuchBucket");
    const sent = request.headers["x-amz-checksum-sha256"];
    if (sent !== undefined && sent !== createHash("sha256").update(body).digest("base64"))
      return refuse(response, 400, "BadDigest");
    if (key === "" && method === "HEAD") {
      response.end();
      return;
    }
    if (key === "") return this.#list(query, response);
    if (query.has("uploads")) return this.#begin(key, response);
    const upload = query.get("uploadId");
    if (upload !== null) return this.#part(method, key, upload, Number(query.get("partNumber")), body, response);
    if (method === "DELETE") await this.beforeDelete;
    this.#object(method, key, body, request, response);
  }

  #object(method: string, key: string, body: Buffer, { headers }: IncomingMessage, response: ServerResponse): void {
    const object = this.objects.get(key);
    if (method === "HEAD" && this.headsOfAll !== undefined) response.writeHead(this.headsOfAll).end();
    else if (method === "PUT") {
      this.objects.set(key, body);
      response.setHeader("etag", etagOf(body)).end();
    } else if (method === "DELETE") {
      this.objects.delete(key);
      response.writeHead(204).end();
    } else if (object === undefined) refuse(response, 404, method === "HEAD" ? "" : "NoSuchKey");
    else if (method === "HEAD") response.setHeader("content-length", object.length).end();
    else {
      const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(this.givesNoParts ? "" : (headers.range ?? "")) ?? [];
      const part = start === undefined ? object : object.subarray(Number(start), Number(end) + 1);
      response.writeHead(start === undefined ? 200 : 206, { "content-length": part.length }).end(part);
    }
  }

  #begin(key: string, response: ServerResponse): void {
    const id = randomUUID();
    this.#uploads.set(id, new Map());
    sendXml(
      response,
      `<InitiateMultipartUploadResult><Bucket>${this.bucket}</Bucket><Key>${key}</Key><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
    );
  }

  #part(method: string, key: string, id: string, number: number, body: Buffer, response: ServerResponse): void {
    const parts = this.#uploads.get(id);
    if (parts === undefined) refuse(response, 404, "NoSuchUpload");
    else if (method === "PUT") {
      parts.set(number, body);
      response.setHeader("etag", etagOf(body)).end();
    } else if (method === "DELETE") {
      this.#uploads.delete(id);
      response.writeHead(204).end();
    } else {
      this.#uploads.delete(id);
      this.objects.set(key, Buffer.concat([...parts].toSorted(([a], [b]) => a - b).map(([, part]) => part)));
      sendXml(
        response,
        `<CompleteMultipartUploadResult><Key>${key}</Key><ETag>"x"</ETag></CompleteMultipartUploadResult>`,
      );
    }
  }

  /** Two a page. */
  #list(query: URLSearchParams, response: ServerResponse): void {
    const keys = [...this.objects.keys()].filter((key) => key.startsWith(query.get("prefix") ?? "")).toSorted();
    const start = Number(query.get("continuation-token") ?? 0);
    const page = keys.slice(start, start + 2);
    const token = start + 2 < keys.length ? `${start + 2}` : this.lastToken;
    const next = token === undefined ? "" : `<NextContinuationToken>${token}</NextContinuationToken>`;
    const contents = page.map(
      (key) => `<Contents><Key>${key}</Key><Size>${this.objects.get(key)!.length}</Size></Contents>`,
    );
    sendXml(
      response,
      `<ListBucketResult><IsTruncated>${next !== ""}</IsTruncated>${next}${contents.join("")}</ListBucketResult>`,
    );
  }
}

function etagOf(body: Buffer): string {
  return `"${createHash("md5").update(body).digest("hex")}"`;
}

function sendXml(response: ServerResponse, xml: string): void {
  response.writeHead(200, { "content-type": "application/xml" }).end(`<?xml version="1.0"?>${xml}`);
}

function refuse(response: ServerResponse, status: number, code: string): void {
  const body =
    code === "" ? "" : `<?xml version="1.0"?><Error><Code>${code}</Code><Message>It is ${code}.</Message></Error>`;
  response.writeHead(status, { "content-type": "application/xml" }).end(body);
}
