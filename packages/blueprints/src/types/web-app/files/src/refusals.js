import { html } from "./html.js";
import { pageAnswer } from "./layout.js";
import { refusalOf as serviceRefusalOf } from "./service-refusals.js";
import { say } from "./texts.js";
import { visitOf } from "./visit.js";

/** What the caller is told of an error: a browser gets a page, or is asked to log in; everyone else gets JSON. */
export function refusalOf(context, request, error) {
  const refusal = serviceRefusalOf(context, request, error);
  const isBrowser = String(request.headers.accept ?? "").includes("text/html");
  if (!isBrowser) return refusal;
  const { site } = context.model;
  const { status, body, headers } = refusal;
  if (status === 401 && site.accounts !== undefined && request.method === "GET")
    return { status: 303, headers: { location: `${site.accounts.login}?next=${encodeURIComponent(request.url)}` } };
  const visit = visitOf(context, { actor: actorOf(context, request), headers: request.headers });
  const content = html`<p>${body.error.message}</p>\n<p><a href="/">${say(site, "back_to_start")}</a></p>`;
  return pageAnswer(visit, { status, title: say(site, titles[status] ?? "failed"), content, headers });
}

/** Who asked, for the links of the page; a request that was refused for where it came from is nobody's. */
function actorOf({ auth, store }, { headers }) {
  return auth.actorOf({ method: "GET", headers }, store);
}

const titles = { 401: "log_in", 403: "not_allowed", 404: "not_found" };
