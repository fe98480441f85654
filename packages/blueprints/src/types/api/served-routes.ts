import type { ServiceModel } from "./model.ts";
import { shapeOf } from "./path-shape.ts";
import type { FoundResource } from "./read-resources.ts";

/** A route of a service, and which statuses it can answer with. */
export interface ServedRoute {
  readonly method: string;
  readonly path: string;
  readonly statuses: readonly number[];
  /** Whether it asks who the caller is; undefined if only `protects` can. */
  readonly isClosed?: boolean;
}

/** Everything that a service answers. */
export function servedRoutes({
  model: { auth, system },
  resources,
}: {
  readonly model: Pick<ServiceModel, "auth" | "system">;
  readonly resources: readonly FoundResource[];
}): readonly ServedRoute[] {
  const { accounts } = auth;
  const get = (path: string): ServedRoute => ({ method: "GET", path, statuses: [200] });
  return [
    ...system.health.map(get),
    ...[system.metrics, system.openapi, system.docs, ...(system.export === undefined ? [] : [system.export])].map(get),
    ...(accounts === undefined
      ? []
      : [
          { method: "POST", path: accounts.login, statuses: [200, 400, 401, 413, 422] },
          { method: "POST", path: accounts.logout, statuses: [204, 401], isClosed: true },
          { method: "GET", path: accounts.me, statuses: [200, 401], isClosed: true },
          ...(accounts.sign_up === undefined
            ? []
            : [{ method: "POST", path: accounts.sign_up, statuses: [201, 400, 409, 413, 422] }]),
        ]),
    ...resources.flatMap(routesOf),
  ];
}

function routesOf({ model }: FoundResource): readonly ServedRoute[] {
  const { path, parent, access, methods, is_single: isSingle, actions } = model;
  const isClosed = (who: readonly string[]) => !who.includes("anyone");
  const closed = (who: readonly string[]) => (isClosed(who) ? [401, 403] : []);
  const missing = parent === undefined ? [] : [404];
  const wrong = [400, 409, 413, 422, ...model.rules.map(({ status }) => status)];
  const route = (method: string, where: string, who: readonly string[], statuses: readonly number[]) => ({
    method,
    path: where,
    statuses: [...statuses, ...closed(who)],
    isClosed: isClosed(who),
  });
  const item = `${path}/{id}`;
  const all = isSingle
    ? [
        route("GET", path, access.read, [200]),
        route("PUT", path, access.change, [200, ...wrong]),
        route("PATCH", path, access.change, [200, ...wrong]),
      ]
    : [
        route("GET", path, access.read, [200, 400, ...missing]),
        route("POST", path, access.create, [201, ...wrong, ...missing]),
        route("GET", item, access.read, [200, 404]),
        route("PUT", item, access.change, [200, 404, ...wrong]),
        route("PATCH", item, access.change, [200, 404, ...wrong]),
        route("DELETE", item, access.delete, [204, 404, 409]),
      ];
  return [
    ...all.filter(({ method }) => methods === undefined || methods.includes(method)),
    ...Object.entries(actions).map(([name, { access: who }]) =>
      route("POST", `${item}/${name}`, who, [200, 404, ...wrong]),
    ),
  ];
}

/** Whether a rule such as `GET /api/export`, `/api/users` or `*` covers a route: what it names, and what is below. */
export function isServedUnder(rule: string, method: string, path: string): boolean {
  const [, verb = "*", place = ""] = /^(?:([A-Z]+|\*)\s+)?(.*)$/.exec(rule) ?? [];
  if (verb !== "*" && verb !== method && !(verb === "HEAD" && method === "GET")) return false;
  if (place === "*") return true;
  const key = shapeOf(place.replace(/\/?\*$/, "")).key.replace(/\/$/, "");
  const other = shapeOf(path).key;
  return other === key || other.startsWith(`${key}/`);
}
