import { mayDo } from "./page-access.js";
import { resourceRoutes } from "./resource-routes.js";
import { filled } from "./show-value.js";

/** What can be done with a resource, by method: of the collection, and of a record where there is an id. */
export function operationsOf(context, resource) {
  const { methods: _, ...whole } = resource;
  const routes = resourceRoutes(context, whole);
  return (method, call, action) => {
    const item = call.parameters.id === undefined ? resource.path : `${resource.path}/{id}`;
    const path = action === undefined ? item : `${item}/${action}`;
    return routes.find((route) => route.method === method && route.path === path).handle(call);
  };
}

/** Where a form leads: where it says, else to the record, else to its list, as far as the visitor may open them. */
export function nextPath(visit, { page, resource, parameters }) {
  const { next, area } = page;
  const record = visit.pageOf("detail", resource.name, area);
  const known = visit.store.collection(resource.name).get(parameters.id);
  const isSeen = record !== undefined && known !== undefined && mayDo(visit, resource, "read", known);
  const list = visit.pageOf("list", resource.name, area);
  const target = next ?? (resource.is_single || isSeen ? record : list)?.path ?? (resource.is_single ? page.path : "/");
  return filled(target, parameters);
}

export function seeOther(location) {
  return { status: 303, headers: { location } };
}
