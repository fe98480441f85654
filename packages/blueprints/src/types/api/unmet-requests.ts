import type { Unmet } from "../../plugin.ts";
import { isServed } from "./infer-fixed-routes.ts";
import { isOf } from "./infer-resources.ts";
import { isParameter } from "./path-shape.ts";
import { type ExpectedRequest, exactStatus, expects, isSuccess } from "./read-requests.ts";
import { type FoundResource, isWordInside } from "./read-resources.ts";

/** Requests that the result cannot answer as the document says, with the reason. */
export function unmetRequests(
  { resources }: { readonly resources: readonly FoundResource[] },
  requests: readonly ExpectedRequest[],
): readonly Unmet[] {
  const unmet = new Map<string, Unmet>();
  for (const request of requests) {
    const reason = reasonAgainst(request, resources);
    if (reason !== undefined && !unmet.has(request.pointer))
      unmet.set(request.pointer, { pointer: request.pointer, reason });
  }
  return [...unmet.values()];
}

/** Integration tests in which a later step contradicts an earlier one. */
export function contradictingSteps(requests: readonly ExpectedRequest[]): readonly Unmet[] {
  const tests = Map.groupBy(
    requests.filter(({ step }) => step !== undefined),
    ({ pointer }) => pointer,
  );
  return [...tests].flatMap(([pointer, steps]) => {
    const reason = contradictionIn(steps);
    return reason === undefined ? [] : [{ pointer, reason }];
  });
}

function contradictionIn(steps: readonly ExpectedRequest[]): string | undefined {
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
    if (known?.is === "there" && exactStatus(request) === 404 && ["GET", "DELETE"].includes(method))
      return `Step ${step + 1} expects that what step ${known.since} has made is not there.`;
    if (method === "DELETE" && isSuccess(request)) state.set(shape.key, { is: "gone", since: step + 1 });
  }
  return undefined;
}

/** Why a path cannot be requested; undefined if it can. */
export function unaskable({ path }: Pick<ExpectedRequest, "path">): string | undefined {
  if (/%(?![\da-f]{2})/i.test(path)) return "This is no address: a % needs two digits after it.";
  const hasDots = path
    .split(/[?#]/)[0]!
    .split("/")
    .some((part) => part === "." || part === "..");
  return hasDots ? "With these dots it is another address by the time it is asked for." : undefined;
}

function reasonAgainst(request: ExpectedRequest, resources: readonly FoundResource[]): string | undefined {
  const reason = unaskable(request);
  if (reason !== undefined) return reason;
  if ("exactly" in request.status ? request.status.exactly < 200 : request.status.class === 1)
    return "A final answer cannot have a status below 200.";
  if (!isServed(request, resources)) return undefined;
  const resource = resources.find(({ shape }) => isOf(shape, request.shape) || isWordInside(shape, request.shape));
  if (resource === undefined || expects(request, ...possibleStatuses(resource, request))) return undefined;
  const wanted = "exactly" in request.status ? request.status.exactly : `${request.status.class}xx`;
  return `Nothing in the document says when ${request.method} ${request.path} is answered with ${wanted}.`;
}

function possibleStatuses(
  { model, shape }: FoundResource,
  { method, shape: path }: ExpectedRequest,
): readonly number[] {
  const { create, change, remove, invalid, bad_id: badId } = model.statuses;
  const isItem = path.key !== shape.key && (isParameter(path.segments.at(-1)) || isWordInside(shape, path));
  const missing = isItem || model.parent !== undefined ? [404, ...(badId === undefined ? [] : [badId])] : [];
  if (model.is_single === true) return singleStatuses(method, change, invalid);
  const wrong = [invalid, 400, 409, 413, 422];
  switch (method) {
    case "GET":
    case "HEAD":
      return [200, 400, 401, 422, ...missing];
    case "POST":
      return isItem ? [405] : [create, 401, ...wrong, ...missing];
    case "PUT":
    case "PATCH":
      return isItem ? [change, 401, ...wrong, ...missing] : [405];
    case "DELETE":
      return isItem ? [remove, 401, ...missing] : [405];
    default:
      return [204];
  }
}

function singleStatuses(method: string, change: number, invalid: number): readonly number[] {
  if (method === "GET" || method === "HEAD") return [200, 401];
  if (method === "PUT" || method === "PATCH") return [change, invalid, 400, 401, 413, 422];
  return method === "OPTIONS" ? [204] : [405];
}
