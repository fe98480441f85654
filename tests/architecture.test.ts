import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { codebaseOf, type Violation } from "./architecture/codebase.ts";
import { readImports } from "./architecture/read-imports.ts";
import { readSources } from "./architecture/read-sources.ts";
import { type RuleName, rules } from "./architecture/rules.ts";

const names = Object.keys(rules) as RuleName[];

describe("our packages", () => {
  const sources = readSources(fileURLToPath(new URL("..", import.meta.url)));
  const codebase = codebaseOf(sources);

  test("their sources are found", () => {
    expect(Object.keys(sources)).toContain("packages/spec/src/index.ts");
    expect(codebase.packages.flatMap(({ files }) => files.flatMap(({ imports }) => imports)).length).toBeGreaterThan(
      100,
    );
  });

  test.for(names)("%s", (name) => {
    expect(rules[name](codebase).map(show)).toEqual([]);
  });
});

/** Code that keeps all rules; each case below adds something to it. */
const clean = {
  "packages/spec/package.json": '{ "exports": { ".": "./src/index.ts", "./icons/*": "./icons/*" } }',
  "packages/spec/src/index.ts": 'export { parse } from "./parse.ts";\nexport type { Shape } from "./shape.ts";',
  "packages/spec/src/parse.ts": 'import { parseDocument } from "yaml";\nimport type { Shape } from "./shape.ts";',
  "packages/spec/src/shape.ts": 'import type { parse } from "./parse.ts";\nexport type Shape = typeof parse;',
  "packages/contract/package.json": '{ "exports": "./src/index.ts" }',
  "packages/contract/src/index.ts": 'import { parse } from "@slipway/spec";',
  "packages/cli/src/main.ts": 'import { Command } from "commander";\nimport "./commands/plan.ts";',
  "packages/cli/src/commands/plan.ts": 'import { Command } from "commander";\nimport "@slipway/spec/icons/ship.svg";',
  "packages/server/src/main.ts": 'import { createApp } from "./app/create-app.ts";',
  "packages/server/src/app/create-app.ts":
    'import { routes } from "../features/projects/index.ts";\nimport "./config.ts";',
  "packages/server/src/app/config.ts": 'import { readFileSync } from "node:fs";',
  "packages/server/src/features/projects/index.ts": 'export { routes } from "./routes.ts";',
  "packages/server/src/features/projects/routes.ts": 'import { create } from "./create-project.ts";',
  "packages/server/src/features/projects/create-project.ts": 'import { append } from "../../engine/events/index.ts";',
  "packages/server/src/features/projects/store.ts": 'import { sql } from "kysely";',
  "packages/server/src/features/runs/index.ts": 'export { runs } from "./runs.ts";',
  "packages/server/src/engine/events/index.ts": 'export { append } from "./append.ts";',
  "packages/server/src/engine/jobs/job-store.ts":
    'import type { Clock } from "../../platform/clock.ts";\nimport "kysely";\nsql`select from jobs`;',
  "packages/server/src/features/projects/readable-by-store.ts": "sql`projects.owner_id = $1`;",
  "packages/server/src/features/webhooks/history-store.ts": "sql`webhooks.owner_id = users.id`;",
  "packages/server/src/platform/database/connect.ts": 'import pg from "pg";',
};

test("code that keeps the rules breaks none of them", () => {
  expect(brokenRules({})).toEqual({});
});

interface Breach {
  readonly breaks: RuleName;
  readonly because: string;
  readonly files: Readonly<Record<string, string>>;
  readonly at: string;
}

const planted: Readonly<Record<string, Breach>> = {
  "there is a package that nobody thought of": {
    breaks: "every package says what it may import",
    because: "the package 'billing' is new",
    files: { "packages/billing/package.json": "{}" },
    at: "packages/billing/package.json:1",
  },
  "spec imports another package of ours, if only a type": {
    breaks: "packages import each other only along the arrows of the architecture",
    because: "spec must not import contract: it may import none of our packages",
    files: { "packages/spec/src/a.ts": '\nimport type { Problem } from "@slipway/contract";' },
    at: "packages/spec/src/a.ts:2",
  },
  "the command line imports the server": {
    breaks: "packages import each other only along the arrows of the architecture",
    because: "cli must not import server: it may import only client, contract, spec",
    files: {
      "packages/server/package.json": '{ "exports": { "import": "./src/app.ts", "default": "./src/app.ts" } }',
      "packages/cli/src/serve.ts": 'export async function serve() {\n  await import("@slipway/server");\n}',
    },
    at: "packages/cli/src/serve.ts:2",
  },
  "a relative path leads into another package": {
    breaks: "a package is imported by its name and what it exports, not by a path",
    because: "leaves the package",
    files: { "packages/contract/src/a.ts": 'export * from "../../spec/src/parse.ts";' },
    at: "packages/contract/src/a.ts:1",
  },
  "a path leads to what a package does not export": {
    breaks: "a package is imported by its name and what it exports, not by a path",
    because: "is not among what spec exports (., ./icons/*)",
    files: { "packages/contract/src/a.ts": 'type Parse = import("@slipway/spec/src/parse.ts").Parse;' },
    at: "packages/contract/src/a.ts:1",
  },
  "spec imports a module of Node": {
    breaks: "packages for browsers import nothing of Node",
    because: "have no 'node:fs'",
    files: { "packages/spec/src/a.ts": 'import { readFileSync } from "node:fs";' },
    at: "packages/spec/src/a.ts:1",
  },
  "spec imports a module of Node by its old name": {
    breaks: "packages for browsers import nothing of Node",
    because: "have no 'path/posix'",
    files: { "packages/spec/src/a.ts": 'import { join } from "path/posix";' },
    at: "packages/spec/src/a.ts:1",
  },
  "a package of others is imported in a second folder": {
    breaks: "a package of others is imported in one folder",
    because: "'yaml' is imported in packages/spec/src already",
    files: { "packages/spec/src/write/node.ts": 'import type { Node } from "yaml/types";' },
    at: "packages/spec/src/write/node.ts:1",
  },
  "three files import each other in a circle": {
    breaks: "files do not import each other in a circle",
    because: "packages/cli/src/a.ts → packages/cli/src/b.ts → packages/cli/src/c.ts → packages/cli/src/a.ts",
    files: {
      "packages/cli/src/a.ts": 'import "./b.ts";',
      "packages/cli/src/b.ts": 'export * from "./c.ts";',
      "packages/cli/src/c.ts": 'import "node:fs";\nimport { type A } from "./a.ts";',
    },
    at: "packages/cli/src/c.ts:2",
  },
  "a file imports itself": {
    breaks: "files do not import each other in a circle",
    because: "packages/cli/src/a.ts → packages/cli/src/a.ts",
    files: { "packages/cli/src/a.ts": 'import "./a.ts";' },
    at: "packages/cli/src/a.ts:1",
  },
  "a domain imports what another one keeps to itself": {
    breaks: "domains of the server use each other through index.ts",
    because: "features/projects/a.ts must use engine/events through engine/events/index.ts",
    files: { "packages/server/src/features/projects/a.ts": 'import { insert } from "../../engine/events/store.ts";' },
    at: "packages/server/src/features/projects/a.ts:1",
  },
  "the engine imports a feature, if only a type": {
    breaks: "the server's floors import only what is below them",
    because: "engine must not import features",
    files: { "packages/server/src/engine/jobs/a.ts": 'import type { P } from "../../features/projects/index.ts";' },
    at: "packages/server/src/engine/jobs/a.ts:1",
  },
  "agents and verification know each other": {
    breaks: "the server's floors import only what is below them",
    because: "agents must not import verification",
    files: { "packages/server/src/agents/a.ts": 'import { run } from "../verification/index.ts";' },
    at: "packages/server/src/agents/a.ts:1",
  },
  "a file of the server stands on no floor": {
    breaks: "the server's floors import only what is below them",
    because: "helpers/a.ts stands on no floor",
    files: { "packages/server/src/helpers/a.ts": 'import { clock } from "../platform/clock.ts";' },
    at: "packages/server/src/helpers/a.ts:1",
  },
  "two domains know each other, if only by types": {
    breaks: "domains of the server do not need each other in a circle",
    because: "closes a circle: features/projects → features/runs → features/projects",
    files: {
      "packages/server/src/features/projects/a.ts": 'import { run } from "../runs/index.ts";',
      "packages/server/src/features/runs/runs.ts": 'import type { Project } from "../projects/index.ts";',
    },
    at: "packages/server/src/features/runs/runs.ts:1",
  },
  "a use case imports an SQL library": {
    breaks: "SQL libraries are imported in the server's platform/database and stores only",
    because: "is for platform/database and for files named store.ts or <noun>-store.ts",
    files: { "packages/server/src/engine/events/append.ts": 'import { sql } from "kysely/helpers/postgres";' },
    at: "packages/server/src/engine/events/append.ts:1",
  },
  "routes import an SQL library": {
    breaks: "SQL libraries are imported in the server's platform/database and stores only",
    because: "routes speak HTTP only",
    files: { "packages/server/src/features/projects/routes.ts": 'import pg from "pg";' },
    at: "packages/server/src/features/projects/routes.ts:1",
  },
  "a feature has its own condition on the owner of a project": {
    breaks: "one file decides who may read a project",
    because: "use its condition",
    files: {
      "packages/server/src/features/logs/store.ts":
        "sql`select from logs join projects\n  where projects.owner_id = $1`",
    },
    at: "packages/server/src/features/logs/store.ts:2",
  },
  "a query builder compares the owner of a project": {
    breaks: "one file decides who may read a project",
    because: "use its condition",
    files: { "packages/server/src/agents/store.ts": 'query.where("owner_id", "=", id);' },
    at: "packages/server/src/agents/store.ts:1",
  },
  "a feature has its own condition on approvers": {
    breaks: "one file decides who may read a project",
    because: "use its condition",
    files: { "packages/server/src/features/logs/log-store.ts": "sql`where $1 = any(approvals.approvers)`" },
    at: "packages/server/src/features/logs/log-store.ts:1",
  },
  "a step reads a file of a project by itself": {
    breaks: "files of projects are touched through platform/project-files",
    because: "'node:fs/promises' is not for files of projects",
    files: { "packages/server/src/verification/a.ts": 'import { readFile } from "node:fs/promises";' },
    at: "packages/server/src/verification/a.ts:1",
  },
  "an agent's driver writes into the folder by itself, by the old name": {
    breaks: "files of projects are touched through platform/project-files",
    because: "use platform/project-files",
    files: { "packages/server/src/agents/drivers/a.ts": 'const fs = await import("fs");' },
    at: "packages/server/src/agents/drivers/a.ts:1",
  },
  "a step makes a temporary folder by itself": {
    breaks: "temporary folders are made by platform/temporary-folders.ts",
    because: "a kill -9 leaves this folder for ever",
    files: { "packages/server/src/platform/a.ts": "\nconst made = fs.mkdtempSync(place);" },
    at: "packages/server/src/platform/a.ts:2",
  },
  "a feature reads jobs by itself": {
    breaks: "only engine/jobs has SQL on the table jobs",
    because: "add a function there",
    files: { "packages/server/src/features/runs/store.ts": "sql`\n  select from jobs where queue = $1`" },
    at: "packages/server/src/features/runs/store.ts:2",
  },
  "a query builder deletes jobs": {
    breaks: "only engine/jobs has SQL on the table jobs",
    because: "add a function there",
    files: { "packages/server/src/engine/lifecycle/store.ts": 'trx.deleteFrom("jobs").execute();' },
    at: "packages/server/src/engine/lifecycle/store.ts:1",
  },
};

test.for(Object.entries(planted))("it is noticed when %s", ([, { breaks, because, files, at }]) => {
  const broken = brokenRules(files);
  expect(Object.keys(broken)).toEqual([breaks]);
  expect(broken[breaks]).toEqual([expect.stringContaining(because)]);
  expect(broken[breaks]?.[0]?.startsWith(`${at}: `)).toBe(true);
});

test("every rule has a planted breach", () => {
  expect(names.filter((name) => !Object.values(planted).some(({ breaks }) => breaks === name))).toEqual([]);
});

test("imports of every kind are read, each with its line and whether it is there at run time", () => {
  const text = `import a, { type B } from "a";
import type { C } from "b";
import { type D } from "c";
import type from "d";
import "e";
export { f } from "f";
export type * from "g";
export * as h from "h";
const i = import("i"), j = import(\`j\`), k = import(a + i);
type L = import("l").L;
import {
  m,
} from "m"; // import "no"
`;
  expect(
    readImports("a.ts", text).map((one) => `${one.line} ${one.specifier}${one.isTypeOnly ? " type" : ""}`),
  ).toEqual(["1 a", "2 b type", "3 c", "4 d", "5 e", "6 f", "7 g type", "8 h", "9 i", "9 j", "10 l type", "11 m"]);
});

/** The rules that the clean code breaks once these files are added to it, each with what it says. */
function brokenRules(added: Readonly<Record<string, string>>): Partial<Record<RuleName, string[]>> {
  const codebase = codebaseOf({ ...clean, ...added });
  const found = names.map((name) => [name, rules[name](codebase).map(show)] as const);
  return Object.fromEntries(found.filter(([, violations]) => violations.length > 0));
}

function show({ file, line, message }: Violation): string {
  return `${file}:${line}: ${message}`;
}
