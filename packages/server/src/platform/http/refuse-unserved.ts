import type { FastifyInstance } from "fastify";
import { Refusal } from "../errors/index.ts";

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
  app.addHook("onRequest", async (request) => {
    if (!request.is404) return;
    const path = request.url.split("?")[0] ?? "";
    const methods = [...addresses.values()].flatMap(({ pattern, methods }) => (pattern.test(path) ? [...methods] : []));
    if (methods.length === 0) throw new Refusal("not_found", "Not found.");
    const allow = [...new Set(methods)].toSorted().join(", ");
    throw new Refusal("method_not_allowed", `${request.method} is not possible here. Possible: ${allow}.`, {
      headers: { allow },
    });
  });
}

/** Turns a route such as `/items/:id` into a regular expression. */
function patternOf(url: string): RegExp {
  const parts = url
    .split("/")
    .map((part) => (part.startsWith(":") ? "[^/]+" : part === "*" ? ".+" : part.replace(/[^\w-]/g, "\\$&")));
  return new RegExp(`^${parts.join("/")}$`);
}
