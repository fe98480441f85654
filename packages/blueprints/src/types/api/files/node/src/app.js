import { refuseUnprotected } from "./access.js";
import { send } from "./http.js";
import { Metrics } from "./metrics.js";
import { refusalOf } from "./refusals.js";
import { Router } from "./router.js";
import { routesOf } from "./routes.js";

const defaultBodyLimit = 1024 * 1024;

/** The whole service as a function from a request to its answer; it listens nowhere by itself. */
export function createApp({ model, store, auth, bodyLimit = defaultBodyLimit, report = console.error }) {
  const metrics = new Metrics();
  const router = new Router(routesOf({ model, store, auth, metrics }));

  async function answer(request) {
    const { pathname, searchParams } = new URL(`http://service${request.url}`);
    const { route, parameters } = router.find(request.method, pathname);
    const actor = auth.actorOf(request, store);
    if (!route.isAlwaysOpen) refuseUnprotected(model.protects, actor, route.method ?? request.method, route.path);
    const body = await route.readBody?.(request, bodyLimit);
    return route.handle({ parameters, query: searchParams, body, actor, headers: request.headers });
  }

  return async (request, response) => {
    const startedAt = performance.now();
    const { status = 200, ...rest } = await answer(request).catch((error) =>
      refusalOf({ model, store, auth, report }, request, error),
    );
    send(request, response, { status, ...rest });
    metrics.count(request.method, status, (performance.now() - startedAt) / 1000);
  };
}
