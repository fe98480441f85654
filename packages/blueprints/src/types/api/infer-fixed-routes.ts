import { answerContaining, isIn } from "./answers.ts";
import { isOf } from "./infer-resources.ts";
import type { FixedRoute } from "./model.ts";
import { shapeFrom, shapeOf } from "./path-shape.ts";
import { type ExpectedRequest, exactStatus, isSuccess } from "./read-requests.ts";
import { type FoundResource, isWordInside } from "./read-resources.ts";
import { uniqueNames } from "./unique-names.ts";

/** A route that exists only for an acceptance line. */
export interface OwnRoute {
  readonly name: string;
  readonly key: string;
  readonly route: FixedRoute;
}

/** Gives each request that belongs to no resource its own route, which answers as the document says. */
export function inferFixedRoutes(
  requests: readonly ExpectedRequest[],
  resources: readonly FoundResource[],
): readonly OwnRoute[] {
  const open = requests.filter((request) => !isServed(request, resources));
  const groups = [...Map.groupBy(open, ({ method, shape }) => `${method} ${shape.key}`)];
  const routes = groups.flatMap(([key, calls]) => {
    const made = routeOf(calls, open);
    return made === undefined ? [] : [{ key, route: made }];
  });
  const names = uniqueNames(
    routes.map(({ key }) => key),
    "route",
  );
  return routes.map((route, index) => ({ name: names[index]!, ...route }));
}

/** Whether a resource's routes handle the request. */
export function isServed({ method, shape, ...request }: ExpectedRequest, resources: readonly FoundResource[]): boolean {
  return resources.some(({ shape: collection, model }) => {
    if (isOf(collection, shape)) return true;
    if (isWordInside(collection, shape)) return !isSuccess({ method, shape, ...request });
    const last = shape.segments.at(-1);
    const isAction = last !== undefined && "word" in last && Object.hasOwn(model.actions ?? {}, last.word);
    return isAction && shapeFrom(shape.segments.slice(0, -1)).key === `${collection.key}/{}`;
  });
}

function routeOf(calls: readonly ExpectedRequest[], all: readonly ExpectedRequest[]): FixedRoute | undefined {
  const [first] = calls;
  if (first === undefined) return undefined;
  const status = statusOf(calls);
  // Without a route, unknown paths get 404 and other methods on known paths get 405.
  const hasOthers = all.some((other) => other.shape.key === first.shape.key && isSuccess(other));
  if (status === undefined || status === 404 || (status === 405 && hasOthers)) return undefined;
  const texts = [...new Set(calls.flatMap(({ contains }) => contains))];
  return { method: first.method, path: namedPath(first), status, ...answerOf(status, texts) };
}

/** The status of the request when it is allowed; 401 is for requests without a token. */
function statusOf(calls: readonly ExpectedRequest[]): number | undefined {
  const statuses = calls.map((call) => exactStatus(call) ?? ("class" in call.status ? call.status.class * 100 : 200));
  const status = statuses.find((candidate) => candidate !== 401) ?? 200;
  return status < 200 ? undefined : status;
}

function namedPath({ path }: ExpectedRequest): string {
  const parts = shapeOf(path).segments.map((segment, index) =>
    "word" in segment ? segment.word : `{parameter${index}}`,
  );
  return `/${parts.join("/")}`;
}

function answerOf(status: number, texts: readonly string[]): Pick<FixedRoute, "body" | "text" | "type" | "headers"> {
  if (status === 204 || status === 304) return {};
  if (texts.some((text) => text.trimStart().startsWith("<")))
    return { text: `${texts.join("\n")}\n`, type: "text/html; charset=utf-8" };
  const headers = status > 300 && status < 400 ? { headers: { location: "/" } } : {};
  const base =
    status >= 400 ? { error: { code: `status_${status}`, message: "This is always answered so." } } : { status: "ok" };
  const body = answerContaining(texts, base);
  // JSON escapes quotes, so a text with quotes is sent as plain text.
  if (texts.some((text) => !isIn(body, text))) return { text: `${texts.join("\n")}\n`, ...headers };
  return { body, ...headers };
}
