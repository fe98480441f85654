import { type Endpoint, endpoints } from "@slipway/contract";
import type { FastifyRequest } from "fastify";
import { Refusal } from "../errors/index.ts";
import type { Answer, Call, Handler, Handlers } from "./handlers.ts";
import { etagOf } from "./send-answer.ts";

/** What `If-Match` demands of a change. */
export interface Precondition {
  /** Changes of one resource wait for each other by this key. */
  readonly resource: string;
  /** Refuses if the resource is no longer as the client has seen it. */
  check(): Promise<void>;
}

/** The precondition of a change; undefined without `If-Match`. */
export function preconditionOf(call: Call, described: Endpoint, handlers: Handlers): Precondition | undefined {
  const header = call.request.headers["if-match"];
  if (header === undefined || described.method === "GET") return undefined;
  const found = findRead(described);
  const path = resourcePath(found?.endpoint.path ?? described.path, call.params as unknown as Params);
  return {
    resource: path,
    check: async () => {
      const etag = found && (await currentEtag(call, handlers[found.name] as Handler<Endpoint>));
      if (etag === undefined)
        throw new Refusal("precondition_failed", `${path} has no ETag, so If-Match cannot hold. Leave it out.`);
      if (!isMatch(header, etag))
        throw new Refusal("precondition_failed", `${path} has changed since you read it. Read it again.`);
    },
  };
}

type Params = Readonly<Record<string, string>>;

/** The versioned resource that a change is about: the one at its path, or the nearest above it. */
function findRead({ path }: Endpoint): { name: keyof Handlers; endpoint: Endpoint } | undefined {
  for (let here = path; here !== ""; here = here.slice(0, here.lastIndexOf("/"))) {
    for (const [name, endpoint] of Object.entries(endpoints) as [keyof Handlers, Endpoint][])
      if (endpoint.method === "GET" && endpoint.path === here && endpoint.isVersioned) return { name, endpoint };
  }
  return undefined;
}

function resourcePath(path: string, params: Params): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? "");
}

/** Reads the resource as the caller would, without the headers that shape the answer to the change. */
async function currentEtag(call: Call, read: Handler<Endpoint>): Promise<string | undefined> {
  const request: FastifyRequest = Object.create(call.request, {
    headers: { value: {} },
    method: { value: "HEAD" },
  }) as FastifyRequest;
  const answer: Answer | undefined = await read({ ...call, query: {} as never, request });
  return answer && etagOf(answer, true);
}

/** Strong comparison, as RFC 9110 wants it: a weak tag never matches. */
function isMatch(header: string, etag: string): boolean {
  return header.trim() === "*" || header.split(",").some((tag) => tag.trim() === etag);
}
