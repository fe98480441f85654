import { isProtected } from "./auth.js";
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
    if (!route.isAlwaysOpen && isProtected(model.protects, route.method ?? request.method, route.path))
      auth.check(request.headers);
    const body = await route.readBody?.(request, bodyLimit);
    return route.handle({ parameters, query: searchParams, body });
  }

  return async (request, response) => {
    const startedAt = performance.now();
    const { status = 200, ...rest } = await answer(request).catch((error) =>
      refusalOf({ model, report }, request, error),
    );
    send(request, response, { status, ...rest }, { isPretty: model.is_pretty });
    metrics.count(request.method, status, (performance.now() - startedAt) / 1000);
  };
}
