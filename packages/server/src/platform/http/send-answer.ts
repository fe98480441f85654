import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Answer } from "./handlers.ts";
import { jsonInTurns } from "./json-in-turns.ts";

/** Sends the answer of a handler, or 304 when the client has it already. */
export async function sendInTurns(
  answer: Answer,
  request: FastifyRequest,
  reply: FastifyReply,
  { isVersioned }: { readonly isVersioned: boolean },
): Promise<void> {
  const { body } = answer;
  if (!isJson(body)) return sendAnswer(answer, request, reply);
  const written = isVersionedByContent(answer, isVersioned) ? await jsonInTurns(body) : undefined;
  const etag = written === undefined ? etagOf(answer, false) : `"${hashOf(written)}"`;
  if (sendUnchanged(answer, request, reply, etag)) return;
  reply.type("application/json; charset=utf-8").send(written ?? (await jsonInTurns(body)));
}

/** Sends text, bytes or a stream of bytes, or 304 when the client has it already. */
export function sendAnswer(answer: Answer, request: FastifyRequest, reply: FastifyReply): void {
  if (!sendUnchanged(answer, request, reply, etagOf(answer, false))) reply.send(answer.body);
}

/** Sets status and headers; sends 304 when the client has the answer already. */
function sendUnchanged(
  { status, body, headers = {} }: Answer,
  request: FastifyRequest,
  reply: FastifyReply,
  etag: string | undefined,
): boolean {
  reply.headers({ "cache-control": etag === undefined ? "no-store" : "private, no-cache", ...headers });
  if (etag !== undefined) {
    reply.header("etag", etag);
    if (matchesEtag(request.headers["if-none-match"], etag)) {
      reply.status(304).send();
      return true;
    }
  }
  const next = nextLink(request, body);
  if (next !== undefined) reply.header("link", next);
  reply.status(status);
  return false;
}

/** The ETag of an answer: from its version, or from what it says where the resource has no version of its own. */
export function etagOf(answer: Answer, isVersioned: boolean): string | undefined {
  if (answer.version !== undefined) return `"${answer.version}"`;
  return isVersionedByContent(answer, isVersioned) ? `"${versionOfContent(answer.body)}"` : undefined;
}

function isVersionedByContent({ status, body, version }: Answer, isVersioned: boolean): boolean {
  return version === undefined && isVersioned && status === 200 && isJson(body);
}

function isJson(body: unknown): body is object {
  return typeof body === "object" && body !== null && !(body instanceof Uint8Array || body instanceof Readable);
}

/** A version made from what an answer says. */
export function versionOfContent(content: unknown): string {
  return hashOf(JSON.stringify(content));
}

function hashOf(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("base64url").slice(0, 27);
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
    const content = await make();
    // As bytes: a text would be encoded anew for each request, and a megabyte of it takes milliseconds.
    const body = typeof content === "string" ? Buffer.from(content) : content;
    const version = hashOf(body);
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
