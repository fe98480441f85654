import { assetRoutes } from "./asset-routes.js";
import { pageRoutes } from "./page-routes.js";
import { resourceRoutes } from "./resource-routes.js";
import { fixedRoutes, systemRoutes } from "./system-routes.js";

/** Everything that is answered; where two routes are the same, the first one counts. */
export function routesOf(context) {
  return [
    ...pageRoutes(context),
    ...assetRoutes(),
    ...fixedRoutes(context),
    ...systemRoutes(context),
    ...context.model.resources.flatMap((resource) => resourceRoutes(context, resource)),
  ];
}
