import type { FastifyInstance, FastifyRequest } from "fastify";
import { Refusal } from "../errors/index.ts";
import type { Answer } from "./handlers.ts";
import { sendAnswer } from "./send-answer.ts";

const notFoundPages = new WeakMap<FastifyInstance, () => Promise<Answer>>();

/** What a browser is shown at an address without a route; programs, and whatever is below the API, get a problem. */
export function serveNotFoundPage(app: FastifyInstance, page: () => Promise<Answer>): void {
  notFoundPages.set(app, page);
}

/**
 * Refuses requests without a route before their body is read: 405 where other methods exist, else 404. A hook, not routes,
 * because the framework has no routes for some methods.
 */
export function refuseUnserved(app: FastifyInstance): void {
  const addresses = new Map<string, { pattern: RegExp; methods: Set<string> }>();
  app.addHook("onRoute", ({ url, method }) => {
    const address = addresses.get(url) ?? { pattern: patternOf(url), methods: new Set() };
    for (const one of [method].flat()) address.methods.add(one);
    addresses.set(url, address);
  });
  app.addHook("onRequest", async (request, reply) => {
    if (!request.is404) return;
    const path = pathOf(request);
    const methods = [...addresses.values()].flatMap(({ pattern, methods }) => (pattern.test(path) ? [...methods] : []));
    const page = methods.length === 0 && wantsPage(request) ? notFoundPages.get(app) : undefined;
    if (page !== undefined) {
      const { version: _, ...answer } = await page();
      sendAnswer({ ...answer, status: 404 }, request, reply);
      return reply;
    }
    if (methods.length === 0) throw new Refusal("not_found", "Not found.");
    const allow = [...new Set(methods)].toSorted().join(", ");
    throw new Refusal("method_not_allowed", `${request.method} is not possible here. Possible: ${allow}.`, {
      headers: { allow },
    });
  });
}

function pathOf({ url }: FastifyRequest): string {
  return url.split("?")[0] ?? "";
}

function wantsPage(request: FastifyRequest): boolean {
  const isOfApi = /^\/(?:api|v1)(?:\/|$)/.test(pathOf(request));
  return (
    (request.method === "GET" || request.method === "HEAD") &&
    !isOfApi &&
    request.headers.accept?.includes("text/html") === true
  );
}

/** Turns a route such as `/items/:id` into a regular expression. */
function patternOf(url: string): RegExp {
  const parts = url
    .split("/")
    .map((part) => (part.startsWith(":") ? "[^/]+" : part === "*" ? ".+" : part.replace(/[^\w-]/g, "\\$&")));
  return new RegExp(`^${parts.join("/")}$`);
}
