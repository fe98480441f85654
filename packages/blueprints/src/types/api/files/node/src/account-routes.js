import { HttpError, readObject } from "./http.js";
import { hashPassword, isPasswordOf } from "./passwords.js";
import { createRecord, shown } from "./records.js";
import { isSameIn } from "./rules.js";

/** Signing up, logging in and out, and who one is. */
export function accountRoutes(context) {
  const { accounts } = context.model.auth;
  if (accounts === undefined) return [];
  const resource = context.model.resources.find(({ name }) => name === accounts.resource);
  const setting = { ...context, accounts, resource, records: context.store.collection(resource.name) };
  const open = { method: "POST", isAlwaysOpen: true, readBody: readObject };
  return [
    ...(accounts.sign_up === undefined
      ? []
      : [{ ...open, path: accounts.sign_up, handle: (call) => signUp(setting, call) }]),
    { ...open, path: accounts.login, handle: (call) => logIn(setting, call) },
    { method: "POST", path: accounts.logout, handle: (call) => logOut(setting, call) },
    { method: "GET", path: accounts.me, handle: ({ actor }) => ({ body: shown(resource, accountOf(actor)) }) },
  ];
}

/** A new account has the role that the model gives it: nobody chooses their own. */
async function signUp(setting, { body }) {
  const { accounts, resource } = setting;
  const { role_field: field } = accounts;
  if (field !== undefined && Object.hasOwn(body, field))
    throw new HttpError(422, "invalid", `${field} cannot be chosen here: leave it out.`, {
      fields: { [field]: "cannot be chosen here: leave it out" },
    });
  const record = await createRecord(setting, { body });
  return { status: 201, body: shown(resource, record) };
}

/** Gives a token to whoever names an account and its password. */
async function logIn(setting, { body, headers }) {
  const { accounts, records, auth, model, resource } = setting;
  const { name_field: nameField, password_field: passwordField } = accounts;
  const missing = [nameField, passwordField].filter((name) => typeof body[name] !== "string");
  if (missing.length > 0)
    throw new HttpError(422, "invalid", `${missing.join(" and ")} must be given as text.`, {
      fields: Object.fromEntries(missing.map((name) => [name, "is required"])),
    });
  const named = (is) => records.all().find((record) => is(record[nameField], body[nameField]));
  const account = named(Object.is) ?? named((a, b) => isSameIn(resource.fields[nameField], a, b));
  // Someone who has no account waits as long: how long it takes does not tell who has one.
  const hash = account?.[passwordField] ?? (await nobodysHash);
  if (!(await isPasswordOf(hash, body[passwordField])) || account === undefined)
    throw new HttpError(401, "unauthorized", "Unauthorized: there is no such account, or the password is wrong.");
  const { token, expires_at } = auth.issue(account);
  const cookie = model.auth.scheme === "session" ? { headers: { "set-cookie": auth.cookie(token, headers) } } : {};
  const answer = { token, access_token: token, token_type: "Bearer", expires_at };
  return { status: 200, body: { ...answer, [resource.name]: shown(resource, account) }, ...cookie };
}

const nobodysHash = hashPassword("nobody");

/** Every token that the account was given ends. */
async function logOut({ records, store, auth }, { actor, headers }) {
  const { id } = accountOf(actor);
  await store.change(() => records.replace({ ...records.get(id), tokens_from: Date.now() + 1 }));
  return { status: 204, headers: { "set-cookie": auth.cookie(undefined, headers) } };
}

function accountOf(actor) {
  if (actor?.account !== undefined) return actor.account;
  throw new HttpError(401, "unauthorized", "Unauthorized: log in, and send the token that you get.", {
    headers: { "www-authenticate": "Bearer" },
  });
}
