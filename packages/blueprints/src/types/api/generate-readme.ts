import { code } from "../../kit/common-files.ts";
import { markdown } from "../../kit/quote.ts";
import type { AccountsModel, FieldModel, ResourceModel, ServiceModel } from "./model.ts";
import type { Service } from "./read-service.ts";

/** The README's chapters on an API: endpoints, rules, lists, settings and access. */
export function apiChapters({ model, resources }: Service): readonly string[] {
  const { health, openapi, docs, metrics, export: everything } = model.system;
  const system = [
    ...health.map((path) => row("GET", path, "whether it is well")),
    row("GET", docs, "what it offers, as a page"),
    row("GET", openapi, "what it offers, in the OpenAPI format"),
    row("GET", metrics, "what it counted, in the Prometheus format"),
    ...(everything === undefined ? [] : [row("GET", everything, "everything that is stored")]),
    ...accountRows(model.auth.accounts),
  ];
  const all = resources.map((found) => found.model);
  return [
    ["## What it answers", "", "| method | path | answer |", "|---|---|---|", ...all.flatMap(rowsOf), ...system].join(
      "\n",
    ),
    ...rulesChapter(all),
    listsChapter,
    accessChapter(model, all),
    settingsChapter(model),
  ];
}

function accountRows(accounts: AccountsModel | undefined): readonly string[] {
  if (accounts === undefined) return [];
  return [
    ...(accounts.sign_up === undefined ? [] : [row("POST", accounts.sign_up, "a new account")]),
    row("POST", accounts.login, "a token for an account and its password"),
    row("POST", accounts.logout, "204; every token of the account ends"),
    row("GET", accounts.me, "the account that asks"),
  ];
}

/** What each method does to records, for who may. */
const kinds: Readonly<Record<string, keyof ResourceModel["access"]>> = {
  GET: "read",
  POST: "create",
  PUT: "change",
  PATCH: "change",
  DELETE: "delete",
};

/** The routes of a resource, without those that nobody may use. */
function rowsOf({ path, title, actions, methods, is_single, access }: ResourceModel): readonly string[] {
  const all: readonly (readonly [string, string, string])[] =
    is_single === true
      ? [
          ["GET", path, `the ${title}`],
          ["PUT", path, `the ${title}, replaced`],
          ["PATCH", path, `the ${title}, changed`],
        ]
      : [
          ["GET", path, `each ${title}, in pages`],
          ["POST", path, `201 with the new ${title}, 422 with the reason`],
          ["GET", `${path}/{id}`, `the ${title}, or 404`],
          ["PUT", `${path}/{id}`, `the ${title}, replaced`],
          ["PATCH", `${path}/{id}`, `the ${title}, changed`],
          ["DELETE", `${path}/{id}`, "204"],
        ];
  return [
    ...all.filter(
      ([method]) => (methods === undefined || methods.includes(method)) && access[kinds[method]!].length > 0,
    ),
    ...Object.entries(actions)
      .filter(([, { access: who }]) => who.length > 0)
      .map(
        ([name, { description }]) => ["POST", `${path}/{id}/${name}`, description ?? `the ${title}, after it`] as const,
      ),
  ].map(([method, where, answer]) => row(method, where, answer));
}

function row(method: string, path: string, answer: string): string {
  return `| ${method} | ${code(path)} | ${markdown(answer)} |`;
}

function rulesChapter(resources: readonly ResourceModel[]): readonly string[] {
  const lines = resources.flatMap(({ title, rules }) =>
    rules.map(({ fields, message, status }) => `- ${markdown(`${title}: ${fields[0] ?? ""} ${message}`)} (${status})`),
  );
  const all = [...lines, ...resources.flatMap(setByOthers)];
  return all.length === 0 ? [] : [["## Rules", "", ...all].join("\n")];
}

/** What not everybody may choose, or nobody. */
function setByOthers({ title, fields }: ResourceModel): readonly string[] {
  const named = (isMeant: (field: FieldModel) => boolean) =>
    Object.keys(fields)
      .filter((name) => isMeant(fields[name]!))
      .map((name) => code(name));
  const computed = named((field) => field.computed !== undefined);
  const reserved = named((field) => field.is_reserved === true);
  const of = markdown(title);
  return [
    ...computed.map((name) => `- ${of}: the service works out ${name}; what is sent for it is not taken`),
    ...reserved.map((name) => `- ${of}: only those who may change every ${of} choose ${name} (403)`),
  ];
}

const listsChapter = `## Lists

A list is filtered by fields (\`?field=value\`, several values with a comma; numbers and dates also with
\`?field_min=…&field_max=…\`), searched with \`?q=words\`, sorted with \`?sort=field\` or \`?sort=-field\`, and read in pages with
\`?limit=20&offset=40\` or \`?per_page=20&page=3\`.`;

function accessChapter({ auth, protects }: ServiceModel, resources: readonly ResourceModel[]): string {
  const how = auth.header === undefined ? "Authorization: Bearer <token>" : `${auth.header}: <token>`;
  const session = auth.scheme === "session" ? " or the cookie that a login sets" : "";
  const rules = [
    ...protects.map(({ rule, roles }) => `- ${code(rule)}: ${markdown(roles?.join(", ") ?? "whoever brings a token")}`),
    ...resources.flatMap(({ title, access }) => {
      const closed = Object.entries(access).filter(([, who]: [string, readonly string[]]) => !who.includes("anyone"));
      if (closed.length === 0) return [];
      return [
        `- ${markdown(title)}: ${closed.map(([kind, who]) => markdown(`${kind} ${who.join(" or ") || "nobody"}`)).join("; ")}`,
      ];
    }),
  ];
  if (rules.length === 0) return "## Access\n\nNothing asks for a token.";
  return `## Access

These ask for \`${how}\`${session}:

${rules.join("\n")}

The service's own token, which may do everything, is \`${auth.token_variable}\`; where that is not set one is made and written to
\`token\` in the data folder.`;
}

function settingsChapter({ version, auth }: ServiceModel): string {
  const passwords =
    auth.accounts === undefined ? "" : " A password's hash takes the work of `PASSWORD_COST` (16384, scrypt's N).";
  return `## Settings

It listens on \`HOST\` and \`PORT\` (127.0.0.1 and 3000). A body may have \`MAX_BODY_BYTES\` (one megabyte).${passwords} This is version ${version}.

Records are kept in \`SLIPWAY_DATA_DIR\`, else in \`DATA_DIR\`, else in \`data\`: in \`records.db\`, a SQLite file. An answer is
given once the change is on disk. Several processes may use one folder, such as two versions while one takes over: each
notes which fields it knew when it wrote a record, so that new, renamed and removed fields are read right by both.`;
}
