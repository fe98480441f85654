import { basename } from "node:path/posix";
import { type Codebase, isRelative, resolveRelative, type SourceFile, type Violation } from "./codebase.ts";
import type { Import } from "./read-imports.ts";
import { violationsOf } from "./violations-of.ts";

/** Folders of the server that are no domains: what all domains stand on. */
const foundations = ["database", "http", "jobs"];

/** Files that wire the domains together, and those that start a process. */
const wiring = [
  "app.ts",
  "engine.ts",
  "notifications.ts",
  "main.ts",
  "run-command.ts",
  "serve.ts",
  "rotate-admin-token.ts",
  "open-database.ts",
];

const sqlLibraries = ["kysely", "pg"];

export function domainsMeetAtTheirIndex(codebase: Codebase): Violation[] {
  return inServer(codebase, (from, to) => {
    if (from.folder === undefined || to.folder === undefined || from.folder === to.folder) return undefined;
    if (to.rest === "index.ts") return undefined;
    return `${from.folder} must use ${to.folder} through ${to.folder}/index.ts`;
  });
}

export function lifecycleStandsAlone(codebase: Codebase): Violation[] {
  return inServer(codebase, (from, to) => {
    if (from.folder !== "lifecycle" || to.folder === undefined || to.folder === "lifecycle") return undefined;
    if (foundations.includes(to.folder)) return undefined;
    return `lifecycle must not import ${to.folder}: app.ts hands it what it needs`;
  });
}

export function onlyTheAppWiresDomains(codebase: Codebase): Violation[] {
  return inServer(codebase, (from, to) => {
    if (from.folder !== undefined || to.folder === undefined || wiring.includes(from.rest)) return undefined;
    return `${from.rest} must not import ${to.folder}: only ${wiring.join(", ")} know the domains`;
  });
}

export function sqlStaysInStores(codebase: Codebase): Violation[] {
  return violationsOf(codebase, ({ folder }, file, { specifier }) => {
    if (folder !== "server" || !sqlLibraries.some((name) => specifier === name || specifier.startsWith(`${name}/`))) {
      return undefined;
    }
    const name = basename(file.path);
    if (name === "routes.ts") return `routes speak HTTP only: '${specifier}' belongs into store.ts`;
    if (name === "store.ts" || placeOf(file.path)?.folder === "database") return undefined;
    return `'${specifier}' is for database/ and for files named store.ts`;
  });
}

/** Where a file of the server stands: in the folder of a domain or foundation, or beside them. */
interface ServerPlace {
  readonly folder: string | undefined;
  readonly rest: string;
}

/** Asks about each import from a file of the server to another one. */
function inServer(
  codebase: Codebase,
  objection: (from: ServerPlace, to: ServerPlace) => string | undefined,
): Violation[] {
  return violationsOf(codebase, (_home, file, one) => {
    const from = placeOf(file.path);
    const to = targetOf(file, one);
    return from && to && objection(from, to);
  });
}

function targetOf(file: SourceFile, { specifier }: Import): ServerPlace | undefined {
  return isRelative(specifier) ? placeOf(resolveRelative(file, specifier)) : undefined;
}

function placeOf(path: string): ServerPlace | undefined {
  const source = "packages/server/src/";
  if (!path.startsWith(source)) return undefined;
  const [first = "", ...rest] = path.slice(source.length).split("/");
  return rest.length > 0 ? { folder: first, rest: rest.join("/") } : { folder: undefined, rest: first };
}
