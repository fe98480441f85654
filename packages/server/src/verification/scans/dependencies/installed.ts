import type { Component } from "./component.ts";
import { readGoVendor } from "./go-lists.ts";
import { component, type Json, licenseText } from "./make-component.ts";
import type { Reader } from "./reader.ts";
import { textAt } from "./toml-lists.ts";

/** What tells of one package, or of all, that lies in the project itself. */
export const installedReaders: readonly Reader[] = [
  { file: /(?:^|\/)node_modules\/(?:@[^/]+\/)?[^/@.][^/]*\/package\.json$/, read: readInstalledNode },
  { file: /\.dist-info\/METADATA$/, read: readInstalledPython },
  {
    file: /(?:^|\/)(?:site-packages|dist-packages|_?vendor)\/(?:[^/]+\.egg-info\/PKG-INFO|[^/]+\.egg-info)$/,
    read: readInstalledPython,
  },
  { file: /(?:^|\/)vendor\/modules\.txt$/, read: readGoVendor },
  { file: /(?:^|\/)vendor\/[^/]+\/Cargo\.toml$/, read: readInstalledCrate },
];

/** A crate that lies beside the sums of its files comes from others, wherever it is. */
export const crate: Reader = { file: /(?:^|\/)Cargo\.toml$/, read: readInstalledCrate };

const inside = /^node_modules\/((?:@[^/]+\/)?[^/@.][^/]*)\//;

/** Packages of Node that have no package.json: programs load them all the same. */
export function bareNodePackages(paths: readonly string[]): Component[] {
  const known = new Set(paths);
  const bare = new Map<string, string>();
  for (const path of paths) {
    const at = path.lastIndexOf("node_modules/");
    const name = at === -1 || (at > 0 && path[at - 1] !== "/") ? undefined : inside.exec(path.slice(at))?.[1];
    if (name === undefined) continue;
    const home = path.slice(0, at + "node_modules/".length + name.length);
    if (!known.has(`${home}/package.json`)) bare.set(home, name);
  }
  return [...bare].map(([home, name]) => component("npm", name, undefined, home, 1));
}

function* readInstalledNode(text: string, path: string): Generator<Component> {
  const manifest = JSON.parse(text) as Json | null;
  const [, folder = ""] = /node_modules\/((?:@[^/]+\/)?[^/]+)\/package\.json$/.exec(path) ?? [];
  const name = typeof manifest?.["name"] === "string" && manifest["name"] !== "" ? manifest["name"] : folder;
  const license = licenseText(manifest?.["license"] ?? manifest?.["licenses"]);
  yield component("npm", name, manifest?.["version"], path, 1, { license });
}

function* readInstalledPython(text: string, path: string): Generator<Component> {
  const head = text.slice(0, 64 * 1024).split(/\r?\n\r?\n/, 1)[0] ?? "";
  const field = (name: string) => new RegExp(`^${name}:[ \\t]{0,20}(\\S[^\\r\\n]*)`, "im").exec(head)?.[1]?.trim();
  const name = field("Name");
  if (name === undefined) throw new Error("It names no package.");
  yield component("PyPI", name, field("Version"), path, 1, {
    license: licenseText(field("License-Expression") ?? field("License")),
  });
}

function* readInstalledCrate(text: string, path: string): Generator<Component> {
  let isPackage = false;
  const found: Record<string, string | undefined> = {};
  for (const row of text.split("\n")) {
    if (/^\s*\[/.test(row)) isPackage = /^\s*\[\s*["']?package["']?\s*\]/.test(row);
    else if (isPackage) for (const key of ["name", "version", "license"]) found[key] ??= textAt(row, key);
  }
  // That of a workspace names none.
  if (found["name"] === undefined) return;
  yield component("crates.io", found["name"], found["version"], path, 1, { license: licenseText(found["license"]) });
}
