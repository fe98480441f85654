import { accountRoutes } from "./account-routes.js";
import { formContent, valuesOf } from "./form-page.js";
import { hidden, readForm } from "./forms.js";
import { html } from "./html.js";
import { HttpError } from "./http.js";
import { pageAnswer } from "./layout.js";
import { labelOf } from "./show-value.js";
import { say } from "./texts.js";

/** Where people log in, and where they make an account. */
export function accountPageRoutes({ context, page }) {
  const { accounts } = context.model.auth;
  const resource = context.model.resources.find(({ name }) => name === accounts.resource);
  const call = callerOf(context);
  const setting = { context, page, accounts, resource, call };
  return page.kind === "login" ? loginRoutes(setting) : signUpRoutes(setting);
}

/** Logging out, which is a button on every page. */
export function logoutRoutes(context) {
  const { accounts: paths } = context.model.site;
  if (paths === undefined) return [];
  const call = callerOf(context);
  const handle = async ({ actor, headers }) => {
    if (actor?.account !== undefined) await call("logout", { actor, headers });
    return { status: 303, headers: { location: "/", "set-cookie": context.auth.cookie(undefined, headers) } };
  };
  return [{ method: "POST", path: paths.logout, isAlwaysOpen: true, readBody: readForm, handle }];
}

/** The routes of the API that accounts have, by what they do. */
function callerOf(context) {
  const routes = accountRoutes(context);
  const { accounts } = context.model.auth;
  return (what, call) =>
    routes.find(({ method, path }) => method === "POST" && path === accounts[what]).handle({ parameters: {}, ...call });
}

function loginRoutes({ context, page, accounts, resource, call }) {
  const names = [accounts.name_field, accounts.password_field];
  const form = (visit, { query, values = {}, problem, status = 200 }) => {
    const field = (name) => {
      const kind = resource.fields[name].type;
      const filledIn = name === accounts.password_field ? "current-password" : "username";
      const type = ["email", "password"].includes(kind) ? kind : "text";
      return html`<div class="field"><label for="field-${name}">${labelOf(name, resource.fields[name])}</label><input id="field-${name}" name="${name}" type="${type}" value="${type !== "password" && values[name]}" autocomplete="${filledIn}" required></div>
`;
    };
    const content = html`
${page.intro && html`<p class="intro">${page.intro}</p>`}
${problem && html`<div class="problems" role="alert"><p>${problem}</p></div>`}
<form method="post">
${hidden(visit)}<input type="hidden" name="next" value="${safePath(query.get("next"))}">
${names.map(field)}<button type="submit">${say(visit.site, "log_in")}</button>
</form>
${visit.site.accounts.sign_up && html`<p><a href="${visit.site.accounts.sign_up}">${say(visit.site, "sign_up")}</a></p>`}
`;
    return pageAnswer(visit, { status, title: page.title, content });
  };
  const send = async (visit, { body, headers }) => {
    const values = Object.fromEntries(names.map((name) => [name, body.get(name) ?? ""]));
    try {
      return await enter(context, call, { values, headers, next: body.get("next") });
    } catch (error) {
      if (!(error instanceof HttpError) || ![401, 422].includes(error.status)) throw error;
      return form(visit, { query: body, values, problem: say(visit.site, "wrong_login"), status: 401 });
    }
  };
  return [
    { method: "GET", isAlwaysOpen: true, handle: form },
    { method: "POST", isAlwaysOpen: true, handle: send },
  ];
}

function signUpRoutes({ context, page, accounts, resource, call }) {
  const answer = (visit, { status = 200, values = {}, problems }) =>
    pageAnswer(visit, { status, title: page.title, content: formContent(visit, { page, resource, values, problems }) });
  const send = async (visit, { body, headers }) => {
    const values = valuesOf(resource, page.fields, body);
    try {
      await call("sign_up", { body: values, headers });
    } catch (error) {
      if (!(error instanceof HttpError) || ![400, 409, 422].includes(error.status)) throw error;
      const { [accounts.password_field]: _, ...kept } = values;
      return answer(visit, { status: error.status, values: kept, problems: error.fields ?? { "": error.message } });
    }
    return enter(context, call, { values, headers });
  };
  return [
    { method: "GET", isAlwaysOpen: true, handle: (visit) => answer(visit, {}) },
    { method: "POST", isAlwaysOpen: true, handle: send },
  ];
}

/** Logs in, and leads to where somebody wanted to go. */
async function enter({ auth, model }, call, { values, headers, next }) {
  const { name_field: name, password_field: password } = model.auth.accounts;
  const { body } = await call("login", { body: { [name]: values[name], [password]: values[password] }, headers });
  return { status: 303, headers: { location: safePath(next), "set-cookie": auth.cookie(body.token, headers) } };
}

/** Only a path of this site: what a link brings must not lead elsewhere. */
export function safePath(path) {
  return typeof path === "string" && /^\/(?![/\\])[^\p{Cc}\\]*$/u.test(path) ? path : "/";
}
