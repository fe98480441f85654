import { accountPageRoutes } from "./account-pages.js";
import { actionButtons } from "./action-buttons.js";
import { basketRoutes } from "./basket-page.js";
import { actRoutes, deleteRoutes } from "./confirm-page.js";
import { editRoutes, formRoutes } from "./form-routes.js";
import { readForm } from "./forms.js";
import { html } from "./html.js";
import { HttpError } from "./http.js";
import { pageAnswer } from "./layout.js";
import { isAllowed } from "./page-access.js";
import { detailRoutes, listRoutes } from "./record-pages.js";
import { say } from "./texts.js";
import { visitOf } from "./visit.js";

const kinds = {
  text: textRoutes,
  list: listRoutes,
  detail: detailRoutes,
  form: formRoutes,
  edit: editRoutes,
  delete: deleteRoutes,
  act: actRoutes,
  login: accountPageRoutes,
  sign_up: accountPageRoutes,
  basket: basketRoutes,
  checkout: basketRoutes,
};

/** The pages that people use. What they do to records goes through the routes of the API, with their rules. */
export function pageRoutes(context) {
  const { model } = context;
  const resourceOf = (wanted) => model.resources.find(({ name }) => name === wanted);
  return model.pages.flatMap((page) => {
    // Somebody who takes a resource out of the model takes its pages out with it.
    if (!neededBy(model, page).every(resourceOf)) return [];
    const resource = resourceOf(page.resource);
    return kinds[page.kind]({ context, page, resource }).map((route) => guarded(context, page, route));
  });
}

function neededBy({ site, auth }, { kind, resource }) {
  if (kind === "basket" || kind === "checkout") return [site.basket.of, site.basket.order, site.basket.items];
  if (kind === "login" || kind === "sign_up") return [auth.accounts.resource];
  return resource === undefined ? [] : [resource];
}

/** A route of a page: its handler gets the visit, if the visitor may open the page at all. */
function guarded(context, page, { handle, ...route }) {
  const isForm = route.method === "POST";
  return {
    path: page.path,
    ...route,
    ...(isForm && { readBody: readForm }),
    handle: (call) => {
      const visit = visitOf(context, call, page.path);
      if (isAllowed(visit, page.access)) return handle(visit, call);
      if (call.actor === undefined) throw new HttpError(401, "unauthorized", say(visit.site, "log_in_first"));
      throw new HttpError(403, "forbidden", say(visit.site, "not_allowed"));
    },
  };
}

function textRoutes({ page }) {
  const show = (visit) => {
    const content = html`${page.intro && html`<p class="intro">${page.intro}</p>`}
${page.texts.map((text) => html`<p class="prose">${text}</p>\n`)}
<div class="actions">${actionButtons(visit, { actions: page.actions })}</div>`;
    return pageAnswer(visit, { title: page.title, content });
  };
  return [{ method: "GET", handle: show }];
}
