import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Answer } from "./handlers.ts";

/** Sends the answer of a handler, or 304 when the client has it already. */
export function sendAnswer(
  { status, body, headers = {}, version }: Answer,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  reply.headers({ "cache-control": version === undefined ? "no-store" : "private, no-cache", ...headers });
  if (version !== undefined) {
    const etag = `"${version}"`;
    reply.header("etag", etag);
    if (matchesEtag(request.headers["if-none-match"], etag)) {
      reply.status(304).send();
      return;
    }
  }
  const next = nextLink(request, body);
  if (next !== undefined) reply.header("link", next);
  reply.status(status);
  if (body === undefined) reply.send();
  else if (body instanceof Uint8Array || typeof body === "string" || body instanceof Readable) reply.send(body);
  else reply.type("application/json; charset=utf-8").send(JSON.stringify(body));
}

/** Whether an If-None-Match header contains the current ETag. */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === "*") return true;
  return header.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}

function nextLink(request: FastifyRequest, body: unknown): string | undefined {
  const cursor = (body as { next_cursor?: string | null } | undefined)?.next_cursor;
  if (typeof cursor !== "string") return undefined;
  const url = new URL(request.url, "http://localhost");
  url.searchParams.set("cursor", cursor);
  return `<${url.pathname}${url.search}>; rel="next"`;
}

/**
 * An answer that stays the same while the service runs: built on the first request, cacheable, its version taken from its
 * content.
 */
export function fixedAnswer(
  type: string,
  make: () => string | Uint8Array | Promise<Uint8Array>,
  headers: Readonly<Record<string, string>> = {},
): () => Promise<Answer> {
  let made: Promise<Answer> | undefined;
  const build = async (): Promise<Answer> => {
    const body = await make();
    const version = createHash("sha256").update(body).digest("base64url").slice(0, 27);
    return { status: 200, body, version, headers: { "content-type": type, "cache-control": "no-cache", ...headers } };
  };
  return () => {
    made ??= build().catch((error) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
