import type { ResourceModel } from "../api/model.ts";
import type { ServedRoute } from "../api/served-routes.ts";
import type { PageModel, SiteModel } from "./model.ts";

interface Site {
  readonly pages: readonly PageModel[];
  readonly site: SiteModel;
  readonly resources: readonly ResourceModel[];
}

/** The routes of the pages, and which statuses they answer with. */
export function pageRoutes({ pages, site, resources }: Site): readonly ServedRoute[] {
  const assets = ["/assets/style.css", "/assets/theme.css", "/assets/enhance.js", "/assets/icon.svg"];
  const more = [
    ...(site.has_manifest ? ["/manifest.webmanifest"] : []),
    ...(site.has_service_worker ? ["/service-worker.js"] : []),
  ];
  return [
    ...pages.flatMap((page) => routesOf(page, isClosed(page, resources))),
    ...(site.accounts === undefined ? [] : [{ method: "POST", path: site.accounts.logout, statuses: [303, 403] }]),
    ...[...assets, ...more].map((path) => ({ method: "GET", path, statuses: [200] })),
  ];
}

function routesOf({ path, kind }: PageModel, closed: boolean): readonly ServedRoute[] {
  // A browser is sent to log in, everyone else is told to.
  const refused = closed ? [303, 401, 403] : [];
  const missing = path.includes("{") ? [404] : [];
  const shown = { method: "GET", path, statuses: [200, 400, ...missing, ...refused], isClosed: closed };
  if (kind === "checkout") return [{ ...shown, statuses: [...shown.statuses, 303] }, sent(path, missing, closed)];
  if (kind === "list" || kind === "text" || kind === "detail") return [shown];
  return [shown, sent(path, missing, closed)];
}

function sent(path: string, missing: readonly number[], closed: boolean): ServedRoute {
  return { method: "POST", path, statuses: [303, 400, 401, 403, 409, 413, 422, ...missing], isClosed: closed };
}

/** Whether a page asks who somebody is: by itself, or by what it shows and does. */
function isClosed(page: PageModel, resources: readonly ResourceModel[]): boolean {
  if (page.access !== undefined) return true;
  const resource = "resource" in page ? resources.find(({ name }) => name === page.resource) : undefined;
  if (resource === undefined) return false;
  const who = page.kind === "form" ? resource.access.create : resource.access.read;
  return !who.includes("anyone");
}
