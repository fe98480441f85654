import type { AcceptanceLine } from "@slipway/spec";
import type { Unmet } from "../../plugin.ts";
import { isParameter, type PathShape, shapeOf } from "./path-shape.ts";
import { type ExpectedRequest, expects, isSuccess, readRequests } from "./read-requests.ts";
import type { Service } from "./read-service.ts";
import { isServedUnder, type ServedRoute, servedRoutes } from "./served-routes.ts";

/** The lines with requests that the service will not answer as they say, as far as that is known beforehand. */
export function unmetRequests(
  service: Service,
  lines: readonly AcceptanceLine[],
  more: readonly ServedRoute[] = [],
  otherwise = "an endpoint",
): readonly Unmet[] {
  const requests = readRequests(lines);
  const routes = [...more, ...servedRoutes(service)].map((route) => ({ ...route, shape: shapeOf(route.path) }));
  const unmet = new Map<string, Unmet>();
  for (const request of requests) {
    const reason = reasonAgainst(request, routes, service, otherwise);
    if (reason !== undefined && !unmet.has(request.pointer))
      unmet.set(request.pointer, { pointer: request.pointer, reason });
  }
  // Whoever may not see a record is told that it is not there.
  const isOpen = service.model.auth.accounts === undefined;
  const contradicting = contradictingSteps(requests, isOpen).filter(({ pointer }) => !unmet.has(pointer));
  return [...unmet.values(), ...contradicting];
}

type Route = ServedRoute & { readonly shape: PathShape };

function reasonAgainst(
  request: ExpectedRequest,
  routes: readonly Route[],
  { model }: Service,
  otherwise: string,
): string | undefined {
  const reason = unaskable(request);
  if (reason !== undefined) return reason;
  if ("exactly" in request.status ? request.status.exactly < 200 : request.status.class === 1)
    return "A final answer cannot have a status below 200.";
  const { method, path } = request;
  const fitting = routes.filter(({ shape }) => fits(shape, request.shape));
  const wanted = "exactly" in request.status ? request.status.exactly : `${request.status.class}xx`;
  if (fitting.length === 0)
    return expects(request, 404)
      ? undefined
      : `Nothing is declared that answers at ${path}: declare a resource with this path in 'data_model', or ${otherwise}.`;
  if (method === "OPTIONS") return expects(request, 204) ? undefined : `${method} ${path} answers 204.`;
  const route = fitting.find((one) => one.method === (method === "HEAD" ? "GET" : method));
  if (route === undefined)
    return expects(request, 405) ? undefined : `${method} is not answered at ${path}: it is refused with 405.`;
  const isGuarded = model.protects.some(({ rule }) => isServedUnder(rule, route.method, route.path));
  if (request.isAuthRequired && !isGuarded && route.isClosed !== true)
    return `Anyone may ask for ${method} ${path}: protect it with 'auth.protects' or the resource's 'access'.`;
  const statuses = [...route.statuses, ...(isGuarded ? [401, 403] : [])];
  return expects(request, ...statuses)
    ? undefined
    : `Nothing in the document says when ${method} ${path} is answered with ${wanted}.`;
}

/** Whether a request is for a route; a word where an id is expected is an id that nothing has. */
function fits({ segments }: PathShape, { segments: asked }: PathShape): boolean {
  return (
    segments.length === asked.length &&
    segments.every((segment, index) => {
      const other = asked[index]!;
      return isParameter(segment) || ("word" in segment && "word" in other && segment.word === other.word);
    })
  );
}

/** Integration tests in which a later step contradicts an earlier one. */
function contradictingSteps(requests: readonly ExpectedRequest[], isOpen: boolean): readonly Unmet[] {
  const tests = Map.groupBy(
    requests.filter(({ step }) => step !== undefined),
    ({ pointer }) => pointer,
  );
  return [...tests].flatMap(([pointer, steps]) => {
    const reason = contradictionIn(steps, isOpen);
    return reason === undefined ? [] : [{ pointer, reason }];
  });
}

function contradictionIn(steps: readonly ExpectedRequest[], isOpen: boolean): string | undefined {
  const state = new Map<string, { readonly is: "there" | "gone"; readonly since: number }>();
  for (const request of steps) {
    const { method, shape, step = 0 } = request;
    const last = shape.segments.at(-1);
    if (method === "POST" && isSuccess(request)) state.set(`${shape.key}/{}`, { is: "there", since: step + 1 });
    // Only what an earlier step created is known; a literal id may be anything.
    if (last === undefined || !("parameter" in last) || last.literal !== undefined) continue;
    const known = state.get(shape.key);
    if (known?.is === "gone" && isSuccess(request))
      return `Step ${step + 1} expects what step ${known.since} has removed.`;
    const isMissing = "exactly" in request.status && request.status.exactly === 404;
    if (known?.is === "there" && isOpen && isMissing && ["GET", "DELETE"].includes(method))
      return `Step ${step + 1} expects that what step ${known.since} has made is not there.`;
    if (method === "DELETE" && isSuccess(request)) state.set(shape.key, { is: "gone", since: step + 1 });
  }
  return undefined;
}

/** Why a path cannot be requested; undefined if it can. */
function unaskable({ path }: Pick<ExpectedRequest, "path">): string | undefined {
  if (/%(?![\da-f]{2})/i.test(path)) return "This is no address: a % needs two digits after it.";
  const hasDots = path
    .split(/[?#]/)[0]!
    .split("/")
    .some((part) => part === "." || part === "..");
  return hasDots ? "With these dots it is another address by the time it is asked for." : undefined;
}
