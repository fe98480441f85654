import { accountRoutes } from "./account-routes.js";
import { assetRoutes } from "./asset-routes.js";
import { pageRoutes } from "./page-routes.js";
import { resourceRoutes } from "./resource-routes.js";
import { systemRoutes } from "./system-routes.js";

/** Everything that is answered; where two routes are the same, the first one counts. */
export function routesOf(context) {
  return [
    ...pageRoutes(context),
    ...assetRoutes(),
    ...systemRoutes(context),
    ...accountRoutes(context),
    ...context.model.resources.flatMap((resource) => resourceRoutes(context, resource)),
  ];
}
