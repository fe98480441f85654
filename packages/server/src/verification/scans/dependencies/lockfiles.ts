import type { Component } from "./component.ts";
import { keyLines } from "./key-lines.ts";

interface Reader {
  readonly file: RegExp;
  /** Files beside it that tell the same more exactly. */
  readonly unless?: readonly string[];
  readonly read: (text: string, path: string) => Iterable<Component>;
}

type Json = Record<string, unknown>;

const npmLocks = ["package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml"];

/** One for each file that names packages of others. */
export const readers: readonly Reader[] = [
  { file: /^(?:package-lock|npm-shrinkwrap)\.json$/, read: readPackageLock },
  { file: /^yarn\.lock$/, unless: ["package-lock.json"], read: readYarnLock },
  { file: /^pnpm-lock\.yaml$/, unless: ["package-lock.json"], read: readPnpmLock },
  { file: /^package\.json$/, unless: npmLocks, read: readPackageJson },
  { file: /^requirements[\w.-]*\.(?:txt|in)$/, read: readRequirements },
  { file: /^(?:poetry|uv|pdm)\.lock$/, read: (text, path) => readTomlPackages(text, path, "PyPI") },
  { file: /^Pipfile\.lock$/, read: readPipfileLock },
  {
    file: /^pyproject\.toml$/,
    unless: ["poetry.lock", "uv.lock", "pdm.lock", "requirements.txt"],
    read: readPyproject,
  },
  { file: /^Cargo\.lock$/, read: (text, path) => readTomlPackages(text, path, "crates.io") },
  { file: /^Cargo\.toml$/, unless: ["Cargo.lock"], read: readCargoToml },
  { file: /^go\.sum$/, read: readGoSum },
  { file: /^go\.mod$/, unless: ["go.sum"], read: readGoMod },
];

/** How many packages of a project are read. */
export const maxComponents = 20_000;

export function keyOf({ ecosystem, name, version }: Component): string {
  return `${ecosystem}:${name}@${version ?? ""}`;
}

/** The packages that a file names, each once and one more than are read at most; undefined if it is not what its name says. */
export function componentsIn(bytes: Uint8Array, path: string): readonly Component[] | undefined {
  const reader = readerOf(path);
  const found = new Map<string, Component>();
  try {
    for (const one of reader?.read(new TextDecoder().decode(bytes), path) ?? []) {
      const key = keyOf(one);
      if (!found.has(key)) found.set(key, one);
      if (found.size > maxComponents) break;
    }
  } catch {
    return undefined;
  }
  return [...found.values()];
}

export function readerOf(path: string): Reader | undefined {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return readers.find(({ file }) => file.test(name));
}

function* readPackageLock(text: string, path: string): Generator<Component> {
  const lock = JSON.parse(text) as { packages?: Json; dependencies?: Json };
  const lineOf = keyLines(text);
  if (typeof lock.packages === "object" && lock.packages !== null) {
    for (const [key, value] of Object.entries(lock.packages)) {
      const entry = value as { version?: unknown; license?: unknown; link?: unknown; dev?: unknown; name?: unknown };
      const at = key.lastIndexOf("node_modules/");
      // The project itself and its own workspaces.
      if (at === -1 || entry?.link === true) continue;
      const name = typeof entry.name === "string" ? entry.name : key.slice(at + "node_modules/".length);
      yield component("npm", name, entry.version, path, lineOf(key), {
        license: licenseText(entry.license),
        isDevelopment: entry.dev === true,
      });
    }
    return;
  }
  // The first format nests them.
  const waiting = [lock.dependencies ?? {}];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const [name, value] of Object.entries(next)) {
      const entry = value as { version?: unknown; dev?: unknown; dependencies?: Json };
      yield component("npm", name, entry?.version, path, lineOf(name), { isDevelopment: entry?.dev === true });
      if (typeof entry?.dependencies === "object" && entry.dependencies !== null) waiting.push(entry.dependencies);
    }
  }
}

function* readPackageJson(text: string, path: string): Generator<Component> {
  const manifest = JSON.parse(text) as Record<string, Json | undefined>;
  const lineOf = keyLines(text);
  for (const kind of ["dependencies", "optionalDependencies", "devDependencies"]) {
    for (const [name, range] of Object.entries(manifest[kind] ?? {})) {
      if (typeof range !== "string" || /^(?:file|link|workspace):/.test(range)) continue;
      const version = /^=?v?(\d+\.\d+\.\d+(?!\d)[\w.+-]*)$/.exec(range)?.[1];
      yield component("npm", name, version, path, lineOf(name), {
        isDevelopment: kind === "devDependencies",
      });
    }
  }
}

function* readYarnLock(text: string, path: string): Generator<Component> {
  let name: string | undefined;
  for (const [index, line] of text.split("\n").entries()) {
    const head = /^"?(@?[^@\s"]+)@[^\n]+:\s*$/.exec(line)?.[1];
    if (head !== undefined) name = head;
    const version = /^ {2}version:? "?([^"\s]+)"?/.exec(line)?.[1];
    if (version === undefined || name === undefined) continue;
    if (version !== "0.0.0-use.local") yield component("npm", name, version, path, index + 1);
    name = undefined;
  }
}

function* readPnpmLock(text: string, path: string): Generator<Component> {
  let isPackages = false;
  for (const [index, line] of text.split("\n").entries()) {
    if (/^\S/.test(line)) isPackages = /^packages:/.test(line);
    const [, name, version] = (isPackages ? /^ {2}['"]?\/?(@?[^@\s'"]+)[@/](\d[^\s:('"]*)/.exec(line) : null) ?? [];
    if (name !== undefined) yield component("npm", name, version, path, index + 1);
  }
}

function* readRequirements(text: string, path: string): Generator<Component> {
  for (const [index, line] of text.split("\n").entries()) {
    const [, name, version] =
      /^\s*([A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?\s*(?:={2,3}\s*([\w.!+-]+))?(?:[\s;#<>=!~,@]|$)/.exec(line) ?? [];
    if (name !== undefined) yield component("PyPI", name, version, path, index + 1);
  }
}

function* readPipfileLock(text: string, path: string): Generator<Component> {
  const lock = JSON.parse(text) as Record<string, Json | undefined>;
  const lineOf = keyLines(text);
  for (const kind of ["default", "develop"])
    for (const [name, value] of Object.entries(lock[kind] ?? {}))
      yield component(
        "PyPI",
        name,
        String((value as { version?: unknown })?.version ?? "").replace(/^==/, "") || undefined,
        path,
        lineOf(name),
        { isDevelopment: kind === "develop" },
      );
}

function* readTomlPackages(text: string, path: string, ecosystem: "PyPI" | "crates.io"): Generator<Component> {
  let name: string | undefined;
  let version: string | undefined;
  let line = 1;
  let isForeign = ecosystem === "PyPI";
  const lines = [...text.split("\n"), "[[package]]"];
  for (const [index, row] of lines.entries()) {
    if (/^\[\[package\]\]/.test(row)) {
      // A package of Cargo without a source is the project's own.
      if (name !== undefined && isForeign) yield component(ecosystem, name, version, path, line);
      [name, version, line, isForeign] = [undefined, undefined, index + 1, ecosystem === "PyPI"];
    }
    name ??= /^name = "([^"]+)"/.exec(row)?.[1];
    version ??= /^version = "([^"]+)"/.exec(row)?.[1];
    if (/^source = "/.test(row)) isForeign = true;
    if (/^source = \{ ?(?:virtual|editable)/.test(row)) isForeign = false;
  }
}

function* readPyproject(text: string, path: string): Generator<Component> {
  const head = /^dependencies\s*=\s*\[/m.exec(text);
  if (head === null) return;
  const line = text.slice(0, head.index).split("\n").length;
  const from = head.index + head[0].length;
  const list = firstList(text.slice(from));
  if (list === undefined) throw new Error("The list of dependencies has no end.");
  // In the other quotation marks, a text may have marks of its own.
  for (const [, double, single = ""] of list.matchAll(/"([^"\n]+)"|'([^'\n]+)'/g))
    for (const one of readRequirements(double ?? single, path)) yield { ...one, line };
}

/** What stands before the bracket that ends a list: the last one of its line, or one at the beginning of a line. */
function firstList(text: string): string | undefined {
  const [row = ""] = text.split("\n", 1);
  if (/\][ \t]{0,99}$/.test(row)) return row.slice(0, row.lastIndexOf("]"));
  const end = text.indexOf("\n]");
  return end === -1 ? undefined : text.slice(0, end);
}

function* readCargoToml(text: string, path: string): Generator<Component> {
  let isDependencies = false;
  for (const [index, line] of text.split("\n").entries()) {
    if (/^\[/.test(line)) isDependencies = /^\[(?:[\w.'()"-]+\.)?(?:dev-|build-)?dependencies\]/.test(line);
    const name = isDependencies && !/path\s*=/.test(line) ? /^([\w-]+)\s*=/.exec(line)?.[1] : undefined;
    if (name !== undefined) yield component("crates.io", name, /"=(\d[^"]{0,60})"/.exec(line)?.[1], path, index + 1);
  }
}

function* readGoSum(text: string, path: string): Generator<Component> {
  for (const [index, line] of text.split("\n").entries()) {
    const [, name, version] = /^(\S+) v([^\s/]+) h1:/.exec(line) ?? [];
    if (name !== undefined) yield component("Go", name, version, path, index + 1);
  }
}

function* readGoMod(text: string, path: string): Generator<Component> {
  for (const [index, line] of text.split("\n").entries()) {
    const [, name, version] = /^(?:require\s+|\t)([\w.-]+\.[a-z]{2,}\/\S+) v(\S+)/.exec(line) ?? [];
    if (name !== undefined) yield component("Go", name, version, path, index + 1);
  }
}

/** Longer than any registry takes. */
const maxNameLength = 1_000;
const maxVersionLength = 256;

function component(
  ecosystem: Component["ecosystem"],
  name: string,
  version: unknown,
  path: string,
  line: number,
  { license, isDevelopment = false }: { license?: string | undefined; isDevelopment?: boolean } = {},
): Component {
  // Cut off, they would look like others. A file with such is not what its name says.
  const versionLength = typeof version === "string" ? version.length : 0;
  if (name.length > maxNameLength || versionLength > maxVersionLength)
    throw new Error("A name or a version is too long.");
  const plain = ecosystem === "PyPI" ? name.toLowerCase().replaceAll(/[-_.]+/g, "-") : name;
  return {
    ecosystem,
    // Half a sign no address can hold.
    name: plain.toWellFormed(),
    version: typeof version === "string" ? version.toWellFormed() : undefined,
    license,
    path,
    line,
    isDevelopment,
  };
}

/** As npm writes it, in any of its old forms. */
function licenseText(license: unknown): string | undefined {
  if (typeof license === "string") return withinLength(license);
  if (Array.isArray(license))
    return (
      license
        .slice(0, 20)
        .map((one) => licenseText(one))
        .filter((one) => one !== undefined)
        .join(" OR ") || undefined
    );
  const type = (license as { type?: unknown } | undefined)?.type;
  return typeof type === "string" ? withinLength(type) : undefined;
}

/** Cut off, `MIT AND GPL-3.0` would be MIT: what is longer is not known. */
export function withinLength(license: string): string | undefined {
  return license.length <= 200 ? license : undefined;
}
