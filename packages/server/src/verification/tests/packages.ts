import { dirname, normalize } from "node:path/posix";
import { FileRefusal } from "../../platform/project-files/index.ts";
import { withoutEndSlashes } from "../../platform/without-end-slashes.ts";
import { type Json, readManifest } from "../scripts/read-json.ts";
import { matchGlobs } from "./match-globs.ts";
import { readText } from "./test-files.ts";

/** A part of a project that has a package.json of its own; the root is one, too. */
export interface Package {
  /** From the project's folder on; "." for the root. */
  readonly folder: string;
  readonly name: string;
  readonly scripts: Readonly<Record<string, string>>;
  /** The names of the packages that it needs. */
  readonly needs: ReadonlySet<string>;
}

export interface Packages {
  /** The root's first. */
  readonly all: readonly Package[];
  /** Those that a package manager takes for the root's workspaces, in the order in which it goes through them. */
  readonly workspaces: readonly Package[];
}

/** Nobody has more; each manifest is read and parsed. */
const maxPackages = 1_000;

/** Reads the manifests of a project. */
export async function readPackages(folder: string, files: readonly string[], signal: AbortSignal): Promise<Packages> {
  const manifests = files.filter((path) => path === "package.json" || path.endsWith("/package.json"));
  const all: Package[] = [];
  let patterns: readonly string[] | undefined;
  for (const path of manifests.sort((a, b) => depthOf(a) - depthOf(b) || (a < b ? -1 : 1)).slice(0, maxPackages)) {
    const place = dirname(path);
    const manifest = await manifestIn(folder, place, signal);
    if (manifest === undefined) continue;
    if (place === ".") patterns = patternsOf(manifest["workspaces"]);
    const found = packageOf(place, manifest);
    // Some only say how Node loads the files below them.
    if (place === "." || found.name !== "" || Object.keys(found.scripts).length > 0) all.push(found);
  }
  patterns ??= patternsOfPnpm((await readText(folder, "pnpm-workspace.yaml", signal)) ?? "");
  return { all, workspaces: await workspacesAmong(all, patterns, signal) };
}

/** The package that a file or folder belongs to: the nearest one. */
export function packageAt(path: string, { all }: Pick<Packages, "all">): Package | undefined {
  const byFolder = new Map(all.map((one) => [one.folder, one]));
  for (let at = normalize(path); ; at = dirname(at)) {
    const found = byFolder.get(at);
    if (found !== undefined || at === "." || at === "/") return found;
  }
}

/** Whether a path is a folder or something below it. */
export function isBelow(path: string, folder: string): boolean {
  return folder === "." || path === folder || path.startsWith(`${folder}/`);
}

/** One that cannot be read says nothing. */
async function manifestIn(folder: string, place: string, signal: AbortSignal): Promise<Json | undefined> {
  try {
    return await readManifest(folder, signal, place);
  } catch (error) {
    if (error instanceof FileRefusal && error.code !== "stuck") return undefined;
    throw error;
  }
}

function packageOf(folder: string, manifest: Json): Package {
  const needs = ["dependencies", "devDependencies"].flatMap((kind) => Object.keys(textsOf(manifest[kind])));
  const name = typeof manifest["name"] === "string" ? manifest["name"] : "";
  return { folder, name, scripts: textsOf(manifest["scripts"]), needs: new Set(needs) };
}

function patternsOf(workspaces: unknown): readonly string[] | undefined {
  const list = Array.isArray(workspaces) ? workspaces : (workspaces as Json | null | undefined)?.["packages"];
  return Array.isArray(list) ? list.filter((one) => typeof one === "string") : undefined;
}

/** The list below `packages:`, one a line. */
function patternsOfPnpm(text: string): readonly string[] {
  const list = /^packages:[ \t]*\r?\n((?:[ \t]*(?:-[^\n]*|#[^\n]*)?\r?\n?)*)/m.exec(text)?.[1] ?? "";
  return [...list.matchAll(/^[ \t]*-[ \t]*(['"]?)([^'"#\s]+)\1/gm)].map(([, , pattern]) => pattern!);
}

async function workspacesAmong(
  all: readonly Package[],
  patterns: readonly string[],
  signal: AbortSignal,
): Promise<readonly Package[]> {
  const plain = patterns.map((one) => withoutEndSlashes(one.replace(/^(!?)\.\//, "$1")));
  const folders = all.map(({ folder }) => folder).filter((folder) => folder !== ".");
  const globs = plain.map((one) => one.replace(/^!/, ""));
  const matches = await matchGlobs(globs, folders, signal);
  const chosen = new Set<string>();
  for (const [at, pattern] of plain.entries())
    for (const folder of matches.get(globs[at]!) ?? [])
      if (pattern.startsWith("!")) chosen.delete(folder);
      else chosen.add(folder);
  const byFolder = new Map(all.map((one) => [one.folder, one]));
  return [...chosen].map((folder) => byFolder.get(folder)!);
}

function depthOf(path: string): number {
  return path.split("/").length;
}

function textsOf(value: unknown): Readonly<Record<string, string>> {
  if (typeof value !== "object" || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

/** A path of the project as a program sees it that starts in a folder of it. */
export function fromFolder(path: string, folder: string): string {
  return folder === "." ? path : isBelow(path, folder) ? path.slice(folder.length + 1) : `${upFrom(folder)}${path}`;
}

/** The way from a folder to the root: `../../` from `packages/web`. */
function upFrom(folder: string): string {
  return folder === "." ? "" : "../".repeat(depthOf(folder));
}
