import { basketButton } from "./basket-page.js";
import { hidden } from "./forms.js";
import { html } from "./html.js";
import { isAllowed, mayAct, mayDo } from "./page-access.js";
import { filled } from "./show-value.js";

/** The buttons of a page or of a record: only those that the visitor may use. */
export function actionButtons(visit, { actions, resource, record, parameters = {} }) {
  const values = { ...parameters, ...(record && { id: record.id }) };
  return actions
    .filter((action) => isAllowed(visit, action.access) && isOffered(visit, action, resource, record))
    .map((action) => button(visit, action, resource, record, filled(action.to, values)));
}

function button(visit, { label, does, asks }, _resource, record, place) {
  if (does === "add_to_basket") return basketButton(visit, label, record);
  if (does === undefined || asks)
    return html`<a class="button${does === "delete" && " danger"}" href="${place}">${label}</a> `;
  return html`<form method="post" action="${place}" class="actions">${hidden(visit)}<button type="submit">${label}</button></form> `;
}

/** What would be refused is not offered. */
function isOffered(visit, { to, does }, resource, record) {
  if (does === "add_to_basket") return true;
  if (does === "delete") return mayDo(visit, resource, "delete", record);
  if (does !== undefined) return mayAct(visit, resource, does, record);
  const target = visit.pageAt(to);
  if (target === undefined) return true;
  if (!isAllowed(visit, target.access)) return false;
  const operation = { form: "create", edit: "change" }[target.kind];
  if (operation === undefined) return true;
  return mayDo(visit, visit.resourceOf(target.resource), operation, operation === "change" ? record : undefined);
}
