import { withArticle } from "./with-article.js";

/**
 * Every operation of the service, for the descriptions of it: method, path, what it does, of which resource, who may do
 * it, the fields of its body, what its query may say, and what it answers.
 */
export function operationsOf(model) {
  return [...model.resources.flatMap(ofResource), ...ofAccounts(model), ...ofSystem(model)];
}

const wrong = { 409: "In conflict with what is there", 422: "Invalid, with the reason for each field" };
const missing = { 404: "Not found" };

function ofResource(resource) {
  const { path, title, access, methods, actions, is_single: isSingle } = resource;
  const make = (method, place, summary, kind, answers, more = {}) => ({
    method,
    path: place,
    summary,
    resource,
    who: access[kind],
    answers,
    ...more,
  });
  const item = `${path}/{id}`;
  const body = { body: resource };
  const all = isSingle
    ? [
        make("GET", path, `Read the ${title}`, "read", { 200: "As stored" }, { returns: "one" }),
        make("PUT", path, `Replace the ${title}`, "change", { 200: "Replaced", ...wrong }, { ...body, returns: "one" }),
        make("PATCH", path, `Change the ${title}`, "change", { 200: "Changed", ...wrong }, { ...body, returns: "one" }),
      ]
    : [
        make(
          "GET",
          path,
          `List each ${title}`,
          "read",
          { 200: "A page of the list" },
          { query: queryOf(resource), returns: "list" },
        ),
        make("POST", path, `Add ${withArticle(title)}`, "create", { 201: "Added", ...wrong }, { ...body, returns: "one" }),
        make("GET", item, `Read ${withArticle(title)}`, "read", { 200: "As stored", ...missing }, { returns: "one" }),
        make(
          "PUT",
          item,
          `Replace ${withArticle(title)}`,
          "change",
          { 200: "Replaced", ...missing, ...wrong },
          { ...body, returns: "one" },
        ),
        make(
          "PATCH",
          item,
          `Change ${withArticle(title)}`,
          "change",
          { 200: "Changed", ...missing, ...wrong },
          { ...body, returns: "one" },
        ),
        make("DELETE", item, `Delete ${withArticle(title)}`, "delete", { 204: "Deleted", ...missing, 409: wrong[409] }),
      ];
  return [
    ...all.filter(({ method }) => methods === undefined || methods.includes(method)),
    ...Object.entries(actions).map(([name, { description, access: who }]) => ({
      ...make("POST", `${item}/${name}`, description ?? `${name} ${withArticle(title)}`, "change", {
        200: "Done",
        ...missing,
        ...wrong,
      }),
      who,
      returns: "one",
    })),
  ];
}

/** What the query of a list may say. */
function queryOf({ fields, filters }) {
  const ranged = filters.filter((name) => ["integer", "number", "date", "datetime"].includes(fields[name]?.type));
  return [...filters, ...ranged.flatMap((name) => [`${name}_min`, `${name}_max`]), "q", "sort", "limit", "offset"];
}

function ofAccounts({ auth: { accounts }, resources }) {
  if (accounts === undefined) return [];
  const resource = resources.find(({ name }) => name === accounts.resource);
  const fields = {
    [accounts.name_field]: { type: "string", required: true },
    [accounts.password_field]: { type: "password", required: true },
  };
  const signedIn = ["signed_in"];
  return [
    ...(accounts.sign_up === undefined
      ? []
      : [
          {
            method: "POST",
            path: accounts.sign_up,
            summary: "Sign up",
            who: ["anyone"],
            resource,
            body: withoutRole(resource),
            answers: { 201: "Added", ...wrong },
            returns: "one",
          },
        ]),
    {
      method: "POST",
      path: accounts.login,
      summary: "Log in",
      who: ["anyone"],
      body: { fields },
      answers: { 200: "A token", 401: "Refused", 422: wrong[422] },
    },
    { method: "POST", path: accounts.logout, summary: "Log out everywhere", who: signedIn, answers: { 204: "Done" } },
    {
      method: "GET",
      path: accounts.me,
      summary: "Read the account that asks",
      who: signedIn,
      resource,
      answers: { 200: "As stored" },
      returns: "one",
    },
  ];
}

function withoutRole(resource) {
  const fields = Object.entries(resource.fields).filter(
    ([, { is_role: isRole, is_owner: isOwner, computed }]) => !isRole && !isOwner && computed === undefined,
  );
  return { ...resource, fields: Object.fromEntries(fields) };
}

function ofSystem({ system }) {
  const get = (path, summary) => ({ method: "GET", path, summary, who: ["anyone"], answers: { 200: summary } });
  return [
    ...system.health.map((path) => get(path, "Whether the service is well")),
    get(system.metrics, "What it counted, for Prometheus"),
    ...(system.export === undefined ? [] : [get(system.export, "Everything that is stored and the caller may read")]),
  ];
}
