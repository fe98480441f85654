import type { CompleteSpec } from "@slipway/spec";
import { titleOf } from "../../kit/title.ts";
import type { Unmet } from "../../plugin.ts";
import type { AuthModel, ServiceModel, SystemModel } from "./model.ts";
import { readAuth } from "./read-auth.ts";
import { readDataModel, type ServiceDocument } from "./read-data-model.ts";
import { type FoundResource, readResources } from "./read-resources.ts";
import { isServedUnder, type ServedRoute, servedRoutes } from "./served-routes.ts";

/** The service of a document: all that its files are generated from. */
export interface Service {
  readonly model: ServiceModel;
  readonly resources: readonly FoundResource[];
  readonly unmet: readonly Unmet[];
}

/** What a type of result differs in. */
export interface ServiceOptions {
  /** What the paths begin with that the document does not write out. */
  readonly basePath?: string;
  /** Further routes, such as pages: what `protects` names may be one of them. */
  readonly routes?: readonly ServedRoute[];
}

/** Reads the service of a document. */
export function readService(document: ServiceDocument, { routes = [], ...options }: ServiceOptions = {}): Service {
  const unmet: Unmet[] = [];
  const { drafts: declared, unmet: unread } = readDataModel(document, options);
  const { auth, drafts, unmet: unsafe } = readAuth(document, declared, options);
  const resources = readResources(drafts, auth, unmet);
  const base = {
    title: titleOf(document),
    version: "1.0.0",
    description: document.description,
    auth,
    system: readSystem(document),
  };
  const protects = readProtects(document, auth, [...routes, ...servedRoutes({ model: base, resources })], unmet);
  return { model: { ...base, protects }, resources, unmet: [...unread, ...unsafe, ...unmet] };
}

function readSystem({ endpoints = {}, deployment }: ServiceDocument): SystemModel {
  const { health, metrics, openapi, docs, export: everything } = endpoints;
  return {
    health: [...new Set(["/health", ...(health === undefined ? [] : [health]), ...checkedPaths(deployment)])],
    metrics: metrics ?? metricsPath(deployment) ?? "/metrics",
    openapi: openapi ?? "/openapi.json",
    docs: docs ?? "/docs",
    ...(everything !== undefined && { export: everything }),
  };
}

function checkedPaths(deployment: CompleteSpec["deployment"]): readonly string[] {
  const { health_checks: checks } = deployment as { health_checks?: unknown };
  const paths = [checks].flat().map((check) => (check as { path?: unknown } | null | undefined)?.path);
  return paths.filter((path) => typeof path === "string" && /^\/[\w/.-]*$/.test(path)) as string[];
}

function metricsPath(deployment: CompleteSpec["deployment"]): string | undefined {
  const { monitoring } = deployment as { monitoring?: { metrics_path?: unknown } };
  const path = monitoring?.metrics_path;
  return typeof path === "string" && /^\/[\w/.-]+$/.test(path) ? path : undefined;
}

function readProtects(
  { auth = {} }: ServiceDocument,
  { accounts }: AuthModel,
  routes: readonly ServedRoute[],
  unmet: Unmet[],
): ServiceModel["protects"] {
  return (auth.protects ?? []).map((written, index) => {
    const pointer = `/auth/protects/${index}`;
    const { path: rule, roles } = typeof written === "string" ? { path: written, roles: undefined } : written;
    if (!routes.some(({ method, path }) => isServedUnder(rule, method, path)))
      unmet.push({ pointer, reason: "Nothing is served there, so nothing is protected." });
    if (roles === undefined) return { rule };
    const known = accounts?.roles ?? [];
    for (const role of roles.filter((one) => !known.includes(one)))
      unmet.push({ pointer, reason: `There is no role '${role}', so nobody has it: say it in 'auth.roles'.` });
    return { rule, roles: [...roles] };
  });
}
