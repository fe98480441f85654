import { posix } from "node:path";
import { type Import, readImports } from "./read-imports.ts";

/** The sources of all packages, as far as the rules look at them. */
export interface Codebase {
  readonly packages: readonly Package[];
}

export interface Package {
  /** Its folder below `packages/`. */
  readonly folder: string;
  /** The subpaths by which others may import it: `.`, `./spec.schema.json`. */
  readonly exports: readonly string[];
  readonly files: readonly SourceFile[];
}

export interface SourceFile {
  /** From the root of the repository. */
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
}

/** A broken rule, with the line that breaks it. */
export interface Violation {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/** The scope of our own packages' names; behind it stands the folder. */
const scope = "@slipway/";

/** What the rules look at, from files by their path: each package's `package.json` and its sources. */
export function codebaseOf(files: Readonly<Record<string, string>>): Codebase {
  const paths = Object.keys(files).sort();
  const folders = new Set(paths.map((path) => path.split("/")[1]!));
  return {
    packages: [...folders].map((folder) => ({
      folder,
      exports: exportsOf(files[`packages/${folder}/package.json`] ?? "{}"),
      files: paths
        .filter((path) => path.startsWith(`packages/${folder}/src/`))
        .map((path) => ({ path, text: files[path]!, imports: readImports(path, files[path]!) })),
    })),
  };
}

export function isRelative(specifier: string): boolean {
  return specifier.startsWith("./") || specifier.startsWith("../");
}

/** The path, from the root of the repository, of a file that is imported relatively. */
export function resolveRelative({ path }: SourceFile, specifier: string): string {
  return posix.join(posix.dirname(path), specifier);
}

/** Which package of ours a specifier names, and what of it. */
export function ownPackage(specifier: string): { folder: string; subpath: string } | undefined {
  if (!specifier.startsWith(scope)) return undefined;
  const [folder = "", ...rest] = specifier.slice(scope.length).split("/");
  return { folder, subpath: [".", ...rest].join("/") };
}

function exportsOf(packageJson: string): string[] {
  const { exports = {} } = JSON.parse(packageJson) as { exports?: string | Record<string, unknown> };
  if (typeof exports === "string") return ["."];
  const keys = Object.keys(exports);
  // Without subpaths, the keys are conditions of the one entry.
  return keys.every((key) => key.startsWith(".")) ? keys : ["."];
}
