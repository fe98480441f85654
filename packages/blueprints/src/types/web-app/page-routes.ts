import type { ServedRoute } from "../api/served-routes.ts";
import type { PageModel, SiteModel } from "./model.ts";

/** The routes of the pages, and which statuses they answer with. */
export function pageRoutes(pages: readonly PageModel[], site: SiteModel): readonly ServedRoute[] {
  const assets = ["/assets/style.css", "/assets/theme.css", "/assets/enhance.js", "/assets/icon.svg"];
  const more = [
    ...(site.has_manifest ? ["/manifest.webmanifest"] : []),
    ...(site.has_service_worker ? ["/service-worker.js"] : []),
  ];
  return [
    ...pages.flatMap((page) => routesOf(page)),
    ...(site.accounts === undefined ? [] : [{ method: "POST", path: site.accounts.logout, statuses: [303, 403] }]),
    ...[...assets, ...more].map((path) => ({ method: "GET", path, statuses: [200] })),
  ];
}

function routesOf(page: PageModel): readonly ServedRoute[] {
  const { path, kind, access } = page;
  const isClosed = access !== undefined;
  const closed = isClosed ? [303, 403] : [303];
  const missing = path.includes("{") ? [404] : [];
  const shown = { method: "GET", path, statuses: [200, 400, ...missing, ...closed], isClosed };
  if (kind === "list" || kind === "text" || kind === "detail") return [shown];
  return [shown, { method: "POST", path, statuses: [303, 400, 401, 403, 409, 413, 422, ...missing], isClosed }];
}
