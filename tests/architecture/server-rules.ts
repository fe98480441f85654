import { basename } from "node:path/posix";
import { type Codebase, isRelative, resolveRelative, type SourceFile, type Violation } from "./codebase.ts";
import type { Import } from "./read-imports.ts";
import { violationsOf } from "./violations-of.ts";

/**
 * The server's floors, from the top. A file may import its own floor and those listed for it; imports of types count,
 * because a reader follows them like any other.
 */
const floors: Readonly<Record<string, readonly string[]>> = {
  app: ["features", "engine", "agents", "verification", "deployment", "platform"],
  features: ["engine", "agents", "verification", "deployment", "platform"],
  engine: ["agents", "verification", "deployment", "platform"],
  agents: ["platform"],
  verification: ["platform"],
  deployment: ["platform"],
  platform: [],
};

/** Floors that hold one domain a folder; each of the others is one domain. */
const floorsOfDomains = ["features", "engine", "platform"];

const sqlLibraries = ["kysely", "pg"];

export function arrowsPointDown(codebase: Codebase): Violation[] {
  return inServer(codebase, (from, to) => {
    if (from.floor === to.floor || from.path === "main.ts") return undefined;
    const below = floors[from.floor];
    if (below === undefined) return `${from.path} stands on no floor: there are ${Object.keys(floors).join(", ")}`;
    if (below.includes(to.floor)) return undefined;
    return `${from.floor} must not import ${to.floor}: take a port, an interface that app/ hands in`;
  });
}

export function domainsMeetAtTheirIndex(codebase: Codebase): Violation[] {
  return inServer(codebase, (from, to) => {
    if (to.domain === undefined || from.domain === to.domain || to.floor === "app") return undefined;
    if (to.path === `${to.domain}/index.ts`) return undefined;
    return `${from.path} must use ${to.domain} through ${to.domain}/index.ts`;
  });
}

/** A domain that needs another, which needs the first, is one domain in two folders. */
export function domainsGoNoCircles(codebase: Codebase): Violation[] {
  const arrows = new Map<string, Map<string, Violation>>();
  for (const { file, line, message } of inServer(codebase, (from, to) => arrowBetween(from, to))) {
    const [from = "", to = ""] = message.split(" → ");
    const targets = arrows.get(from) ?? new Map<string, Violation>();
    arrows.set(from, targets);
    if (!targets.has(to)) targets.set(to, { file, line, message });
  }
  const done = new Set<string>();
  const violations: Violation[] = [];
  for (const domain of arrows.keys()) visit(domain, []);
  return violations;

  function visit(domain: string, above: readonly string[]): void {
    const path = [...above, domain];
    for (const [target, arrow] of arrows.get(domain) ?? []) {
      const at = path.indexOf(target);
      if (at !== -1)
        violations.push({ ...arrow, message: `closes a circle: ${[...path.slice(at), target].join(" → ")}` });
      else if (!done.has(target)) visit(target, path);
    }
    done.add(domain);
  }
}

export function sqlStaysInStores(codebase: Codebase): Violation[] {
  return violationsOf(codebase, ({ folder }, file, { specifier }) => {
    if (folder !== "server" || !sqlLibraries.some((name) => specifier === name || specifier.startsWith(`${name}/`))) {
      return undefined;
    }
    const name = basename(file.path);
    if (name === "routes.ts") return `routes speak HTTP only: '${specifier}' belongs into a store`;
    if (/^([a-z-]+-)?store\.ts$/.test(name) || placeOf(file.path)?.domain === "platform/database") return undefined;
    return `'${specifier}' is for platform/database and for files named store.ts or <noun>-store.ts`;
  });
}

function arrowBetween(from: ServerPlace, to: ServerPlace): string | undefined {
  if (from.domain === undefined || to.domain === undefined || from.domain === to.domain) return undefined;
  return `${from.domain} → ${to.domain}`;
}

/** Where a file of the server stands. */
interface ServerPlace {
  /** From the server's sources. */
  readonly path: string;
  readonly floor: string;
  /** The folder that others enter by its index.ts; nothing for a file that stands beside the folders of its floor. */
  readonly domain: string | undefined;
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

function placeOf(full: string): ServerPlace | undefined {
  const source = "packages/server/src/";
  if (!full.startsWith(source)) return undefined;
  const path = full.slice(source.length);
  const [floor = "", folder = "", ...rest] = path.split("/");
  if (!floorsOfDomains.includes(floor)) return { path, floor, domain: folder === "" ? undefined : floor };
  return { path, floor, domain: rest.length > 0 ? `${floor}/${folder}` : undefined };
}
