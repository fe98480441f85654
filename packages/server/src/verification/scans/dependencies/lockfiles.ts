import type { Component } from "./component.ts";
import { readGoMod, readGoSum } from "./go-lists.ts";
import { crate, installedReaders } from "./installed.ts";
import { readPackageJson, readPackageLock, readPnpmLock, readYarnLock } from "./node-lists.ts";
import { readPipfileLock, readPyproject, readRequirements } from "./python-lists.ts";
import type { Reader } from "./reader.ts";
import { readCargoToml, readTomlPackages } from "./toml-lists.ts";
import { unreadLists } from "./unread-lists.ts";

/** One for each file that names packages of others. */
export const readers: readonly Reader[] = [
  ...installedReaders,
  { file: /(?:^|\/)(?:package-lock|npm-shrinkwrap)\.json$/, read: readPackageLock },
  { file: /(?:^|\/)yarn\.lock$/, read: readYarnLock },
  { file: /(?:^|\/)pnpm-lock\.yaml$/, read: readPnpmLock },
  { file: /(?:^|\/)package\.json$/, isManifest: true, read: readPackageJson },
  {
    file: /(?:^|\/)(?:[\w.-]{0,100}requirements[\w.-]*\.(?:txt|in)|requirements\/[^/]+\.(?:txt|in))$/,
    read: readRequirements,
  },
  { file: /(?:^|\/)(?:poetry|uv|pdm)\.lock$/, read: (text, path) => readTomlPackages(text, path, "PyPI") },
  { file: /(?:^|\/)Pipfile\.lock$/, read: readPipfileLock },
  { file: /(?:^|\/)pyproject\.toml$/, isManifest: true, read: readPyproject },
  { file: /(?:^|\/)Cargo\.lock$/, read: (text, path) => readTomlPackages(text, path, "crates.io") },
  { file: /(?:^|\/)Cargo\.toml$/, isManifest: true, read: readCargoToml },
  { file: /(?:^|\/)go\.sum$/, read: readGoSum },
  { file: /(?:^|\/)go\.mod$/, isManifest: true, read: readGoMod },
  ...unreadLists,
];

/** How many packages of a project are read. */
export const maxComponents = 20_000;

export function keyOf({ ecosystem, name, version }: Component): string {
  return `${ecosystem}:${name}@${version ?? ""}`;
}

/** The packages that a file names, each once and one more than are read at most; undefined if it is not what its name says. */
export function componentsIn(
  bytes: Uint8Array,
  path: string,
  { isCrate = false }: { readonly isCrate?: boolean } = {},
): readonly Component[] | undefined {
  const reader = isCrate ? crate : readerOf(path);
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
  // No reader asks for more folders than a package with a scope has.
  const end = path.split("/").slice(-4).join("/");
  return readers.find(({ file }) => file.test(end));
}
