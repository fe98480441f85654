import { logoutRoutes } from "./account-pages.js";
import { assetRoutes } from "./asset-routes.js";
import { pageRoutes } from "./page-routes.js";
import { routesOf as serviceRoutesOf } from "./service-routes.js";

/** Everything that is answered: pages for browsers, and the API for programs. */
export function routesOf(context) {
  const service = serviceRoutesOf(context);
  const pages = [...pageRoutes(context), ...logoutRoutes(context)].map((page) => withApi(page, service));
  return [...pages, ...assetRoutes(), ...service];
}

/** Where a page and the API share a path, forms are for the page, and whoever wants only JSON is a program. */
function withApi(page, service) {
  const other = service.find(({ method, path }) => method === page.method && path === page.path);
  if (other === undefined || page.path === "/") return page;
  const chosen = (headers) => (isForPage(page.method, headers) ? page : other);
  return {
    ...page,
    readBody: (request, limitBytes) => chosen(request.headers).readBody?.(request, limitBytes),
    handle: (call) => chosen(call.headers).handle(call),
  };
}

function isForPage(method, { "content-type": type = "", accept = "" }) {
  if (method === "POST") return type.startsWith("application/x-www-form-urlencoded");
  return accept.includes("text/html") || !accept.includes("application/json");
}
