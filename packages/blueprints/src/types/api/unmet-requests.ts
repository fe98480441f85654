import type { Unmet } from "../../plugin.ts";
import { isServed } from "./fixed-routes.ts";
import { isOf } from "./infer-resources.ts";
import { isParameter } from "./path-shape.ts";
import { type ExpectedRequest, expects } from "./requests.ts";
import { type FoundResource, isWordInside } from "./resources.ts";

/** Requests that no rule can answer as the document says, with the reason. */
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

function reasonAgainst(request: ExpectedRequest, resources: readonly FoundResource[]): string | undefined {
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
