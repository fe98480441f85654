import { HttpError, readObject } from "./http.js";
import { openApiDocument } from "./openapi.js";
import { isPasswordOf } from "./passwords.js";
import { shown } from "./resource-routes.js";

/** What the service answers besides its resources: how it is, what it offers, what it counted. */
export function systemRoutes(context) {
  const { model, metrics } = context;
  const { health, openapi, metrics: metricsPaths, exports, logins } = model.system;
  return [
    ...health.map(({ path, answer }) => ({
      method: "GET",
      path,
      isAlwaysOpen: true,
      handle: () => ({ body: answer }),
    })),
    ...openapi.map((path) => ({ method: "GET", path, handle: () => ({ body: openApiDocument(model) }) })),
    ...metricsPaths.map((path) => ({
      method: "GET",
      path,
      handle: () => ({ text: metrics.text, type: "text/plain; version=0.0.4; charset=utf-8" }),
    })),
    ...exports.map((path) => ({ method: "GET", path, handle: () => exportAll(context) })),
    ...logins.map((login) => ({
      method: "POST",
      path: login.path,
      isAlwaysOpen: true,
      readBody: readObject,
      handle: ({ body }) => logIn(context, login, body),
    })),
  ];
}

/** Routes that the description asks for by their answer alone. */
export function fixedRoutes({ model }) {
  return model.routes.map(({ method, path, ...answer }) => ({ method, path, handle: () => answer }));
}

/** Everything that is stored, by resource. */
function exportAll({ model, store }) {
  const entries = model.resources.map((resource) => [
    resource.name,
    store
      .collection(resource.name)
      .all()
      .map((record) => shown(resource, record)),
  ]);
  return { body: { exported_at: new Date().toISOString(), resources: Object.fromEntries(entries) } };
}

/** Gives a token to whoever names an account and its password. */
async function logIn({ auth, ...context }, { user_field: userField, password_field: passwordField, status }, body) {
  const user = body[userField];
  const password = body[passwordField];
  if (typeof user !== "string" || typeof password !== "string")
    throw new HttpError(
      context.model.system.bad_login_status,
      "invalid",
      `${userField} and ${passwordField} are required.`,
    );
  for (const hash of passwordsOf(context, userField, passwordField, user)) {
    if (!(await isPasswordOf(hash, password))) continue;
    const token = auth.issue(user);
    return { status, body: { token, access_token: token, token_type: "Bearer" } };
  }
  throw new HttpError(401, "unauthorized", "Unauthorized: there is no such account, or the password is wrong.");
}

/** The password hashes of the accounts by a name: those that were registered, and those that the model brings. */
function passwordsOf({ model, store }, userField, passwordField, user) {
  const registered = model.resources
    .filter(({ fields }) => fields[passwordField]?.type === "password")
    .flatMap(({ name }) => store.collection(name).all())
    .filter((record) => record[userField] === user && typeof record[passwordField] === "string")
    .map((record) => record[passwordField]);
  const brought = model.system.accounts.filter((account) => account.user === user).map(({ hash }) => hash);
  return [...registered, ...brought];
}
