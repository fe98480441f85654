import { code } from "../../kit/common-files.ts";
import { markdown } from "../../kit/quote.ts";
import type { ResourceModel, ServiceModel } from "./model.ts";
import type { Service } from "./read-service.ts";

/** The README's chapters on an API: endpoints, lists, settings and access. */
export function apiChapters({ model, resources, routes }: Service): readonly string[] {
  const { health, openapi, metrics, exports, logins } = model.system;
  const system = [
    ...health.map(({ path }) => row("GET", path, "whether it is well")),
    ...openapi.map((path) => row("GET", path, "what it offers, in the OpenAPI format")),
    ...metrics.map((path) => row("GET", path, "what it counted, in the Prometheus format")),
    ...exports.map((path) => row("GET", path, "everything that is stored")),
    ...logins.map(({ path }) => row("POST", path, "a token for an account")),
    ...routes.map(({ route }) => row(route.method, route.path, `always the same answer, ${route.status}`)),
  ];
  return [
    [
      "## What it answers",
      "",
      "| method | path | answer |",
      "|---|---|---|",
      ...resources.flatMap((found) => rowsOf(found.model)),
      ...system,
    ].join("\n"),
    filtersSection(),
    storageSection(model),
  ];
}

function rowsOf({ path, title, statuses, actions = {}, only, is_single }: ResourceModel): readonly string[] {
  if (is_single === true)
    return [
      row("GET", path, `the ${title}`),
      row("PUT", path, `the ${title}, replaced`),
      row("PATCH", path, `the ${title}, changed`),
    ];
  const all: readonly (readonly [string, string, string])[] = [
    ["GET", path, `each ${title}, in pages`],
    ["POST", path, `${statuses.create} with the new ${title}, ${statuses.invalid} with the reason`],
    ["GET", `${path}/{id}`, `the ${title}, or 404`],
    ["PUT", `${path}/{id}`, `the ${title}, replaced`],
    ["PATCH", `${path}/{id}`, `the ${title}, changed`],
    ["DELETE", `${path}/{id}`, `${statuses.remove}`],
    ...Object.entries(actions).map(
      ([name, { method }]) => [method, `${path}/{id}/${name}`, `the ${title}, with when it was done`] as const,
    ),
  ];
  return all
    .filter(([method]) => only === undefined || only.includes(method))
    .map(([method, where, answer]) => row(method, where, answer));
}

function row(method: string, path: string, answer: string): string {
  return `| ${method} | ${code(path)} | ${markdown(answer)} |`;
}

function filtersSection(): string {
  return `## Lists

A list is filtered by fields (\`?field=value\`, several values with a comma), searched with \`?q=words\`, sorted with
\`?sort=field\` or \`?sort=-field\`, and read in pages with \`?limit=20&offset=40\` or \`?per_page=20&page=3\`.`;
}

function storageSection({ auth, protects, system }: ServiceModel): string {
  const rules = protects.map((rule) => code(rule.replaceAll("{}", "{id}"))).join(", ");
  const how = auth.header === undefined ? "Authorization: Bearer <token>" : `${auth.header}: <token>`;
  const access =
    protects.length === 0
      ? "Nothing asks for a token."
      : `These ask for \`${how}\`: ${rules}. The token is \`${auth.token_variable}\`; where that is not set one is made and written to \`token\` in the data folder.`;
  const accounts = system.accounts.map(({ user }) => code(user)).join(", ");
  return `## Settings

It listens on \`HOST\` and \`PORT\` (127.0.0.1 and 3000). A body may have \`MAX_BODY_BYTES\` (one megabyte).

Records are kept in \`SLIPWAY_DATA_DIR\`, else in \`DATA_DIR\`, else in \`data\`: in \`records.db\`, a SQLite file. An answer is
given once the change is on disk. Several processes may use one folder, such as two versions while one takes over.

${access}${accounts === "" ? "" : `\n\nThese accounts can log in from the start, with the passwords that the description gives: ${accounts}. Take them out of \`model/service.json\` before others can reach the service.`}`;
}
