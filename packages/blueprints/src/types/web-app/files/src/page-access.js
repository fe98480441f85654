import { isOwnerOf, mayByRole } from "./access.js";
import { isTrue } from "./expressions.js";
import { relatedIn } from "./references.js";

/** Whether somebody may open what is for these roles, or for whoever is logged in. */
export function isAllowed({ actor }, access) {
  return access === undefined || mayByRole(access, actor);
}

/** Whether somebody may `read`, `create`, `change` or `delete` a record: what nobody may is not offered. */
export function mayDo({ actor }, resource, operation, record) {
  return fits(resource.access[operation], resource, actor, record);
}

/** Whether somebody may do an action to a record, as it is now. */
export function mayAct({ actor, store }, resource, name, record) {
  const { access, when } = resource.actions[name];
  return fits(access, resource, actor, record) && isTrue(when, record, relatedIn({ store, resource }));
}

function fits(who, resource, actor, record) {
  if (who.includes("anyone") || mayByRole(who, actor)) return true;
  if (!who.includes("owner") || actor === undefined) return false;
  return record === undefined || isOwnerOf(resource, actor, record);
}
