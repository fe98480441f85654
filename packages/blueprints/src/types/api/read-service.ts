import { acceptanceLines, type CompleteSpec } from "@slipway/spec";
import { titleOf } from "../../kit/title.ts";
import type { Unmet } from "../../plugin.ts";
import { inferFixedRoutes, type OwnRoute } from "./infer-fixed-routes.ts";
import { isOf } from "./infer-resources.ts";
import type { ServiceModel } from "./model.ts";
import { readAccess } from "./read-access.ts";
import { type ExpectedRequest, exactStatus, expects, readRequests } from "./read-requests.ts";
import { type FoundResource, readResources } from "./read-resources.ts";
import { readSystem } from "./read-system.ts";
import { contradictingSteps, unmetRequests } from "./unmet-requests.ts";

/** The service of a document: all that its files are generated from. */
export interface Service {
  readonly model: ServiceModel;
  readonly resources: readonly FoundResource[];
  readonly routes: readonly OwnRoute[];
  readonly requests: readonly ExpectedRequest[];
  readonly unmet: readonly Unmet[];
}

/** Reads the service of a document. Requests for pages are left out: the web app handles them. */
export function readService(
  document: CompleteSpec,
  isPage: (request: ExpectedRequest) => boolean = () => false,
): Service {
  const requests = readRequests(acceptanceLines(document)).filter((request) => !isPage(request));
  const { system, isSystem, isLogin } = readSystem(document, requests);
  const open = requests.filter((request) => !isSystem(request));
  const { resources, unmet } = readResources(document, open);
  const access = readAccess(
    document,
    requests.filter((request) => !isLogin(request)),
  );
  const routes = inferFixedRoutes(open, resources);
  const model: ServiceModel = {
    title: titleOf(document),
    version: "1.0.0",
    description: document.description,
    is_pretty: requests.some(({ contains }) => contains.some((text) => /"\s*:\s/.test(text))),
    bad_query_status: badQueryStatus(open, resources),
    auth: access.auth,
    protects: access.protects,
    phrases: phrasesOf(requests),
    system,
  };
  const service = { model, resources, routes, requests };
  return {
    ...service,
    unmet: [...unmet, ...access.unmet, ...unmetRequests(service, open), ...contradictingSteps(open)],
  };
}

/** The status for a list request with a bad query. */
function badQueryStatus(requests: readonly ExpectedRequest[], resources: readonly FoundResource[]): number {
  const refused = requests.find(
    (request) =>
      request.method === "GET" &&
      request.query.length > 0 &&
      expects(request, 400, 422) &&
      resources.some(({ shape }) => isOf(shape, request.shape)),
  );
  return (refused && exactStatus(refused)) ?? 400;
}

/** Texts that error responses must contain, beyond what they always contain. */
function phrasesOf(requests: readonly ExpectedRequest[]): ServiceModel["phrases"] {
  const phrases = new Map<number, Set<string>>();
  for (const request of requests) {
    const status = exactStatus(request);
    if (status === undefined || status < 400 || request.contains.length === 0) continue;
    const known = phrases.get(status) ?? new Set();
    for (const text of request.contains) if (!alwaysSaid.test(text) && !isFieldOf(request, text)) known.add(text);
    if (known.size > 0) phrases.set(status, known);
  }
  return Object.fromEntries([...phrases].map(([status, texts]) => [status, [...texts]]));
}

/** Every error response contains these. */
const alwaysSaid = /^"?(error|code|message)"?$/;

/** An error response names the refused field anyway. */
function isFieldOf({ method, contains }: ExpectedRequest, text: string): boolean {
  return ["POST", "PUT", "PATCH"].includes(method) && contains.includes(text) && /^"?[a-z_][\w]*"?$/.test(text);
}
