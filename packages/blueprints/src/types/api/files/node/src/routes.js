import { accountRoutes } from "./account-routes.js";
import { landingPage } from "./docs-page.js";
import { resourceRoutes } from "./resource-routes.js";
import { systemRoutes } from "./system-routes.js";

/** Everything that is answered; where two routes are the same, the first one counts. */
export function routesOf(context) {
  return [
    ...systemRoutes(context),
    ...accountRoutes(context),
    ...context.model.resources.flatMap((resource) => resourceRoutes(context, resource)),
    { method: "GET", path: "/", handle: () => landingPage(context.model) },
  ];
}
