import type { Component } from "./component.ts";
import { keyLines } from "./key-lines.ts";
import { component, type Json, licenseText } from "./make-component.ts";

export function* readPackageLock(text: string, path: string): Generator<Component> {
  const lock = JSON.parse(text) as { packages?: Json; dependencies?: Json };
  const lineOf = keyLines(text);
  if (typeof lock.packages === "object" && lock.packages !== null) {
    for (const [key, value] of Object.entries(lock.packages)) {
      const entry = value as Record<"version" | "license" | "link" | "dev" | "name" | "resolved", unknown>;
      const at = key.lastIndexOf("node_modules/");
      // The project itself and its own workspaces.
      if (at === -1 || entry?.link === true) continue;
      const name = typeof entry.name === "string" ? entry.name : key.slice(at + "node_modules/".length);
      const isDevelopment = entry.dev === true;
      yield component("npm", name, entry.version, path, lineOf(key), {
        license: licenseText(entry.license),
        isDevelopment,
      });
      if (typeof entry.resolved === "string") yield* taken(entry.resolved, path, lineOf(key), isDevelopment);
    }
  }
  // The first format nests them, the second tells both ways.
  const waiting = [lock.dependencies ?? {}];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const [name, value] of Object.entries(next)) {
      const entry = value as { version?: unknown; resolved?: unknown; dev?: unknown; dependencies?: Json };
      const isDevelopment = entry?.dev === true;
      const version = typeof entry?.version === "string" ? entry.version : undefined;
      const [, real, realVersion] = /^npm:(@?[^@]{1,214})@(.+)$/.exec(version ?? "") ?? [];
      if (version === undefined || !/^file:(?!.*\.t(?:ar\.)?gz$)/.test(version))
        yield component("npm", real ?? name, realVersion ?? version, path, lineOf(name), { isDevelopment });
      if (typeof entry?.resolved === "string") yield* taken(entry.resolved, path, lineOf(name), isDevelopment);
      if (typeof entry?.dependencies === "object" && entry.dependencies !== null) waiting.push(entry.dependencies);
    }
  }
}

export function* readPackageJson(text: string, path: string): Generator<Component> {
  const manifest = JSON.parse(text) as Record<string, Json | undefined>;
  const lineOf = keyLines(text);
  for (const kind of ["dependencies", "optionalDependencies", "devDependencies"]) {
    for (const [name, range] of Object.entries(manifest[kind] ?? {})) {
      if (typeof range !== "string" || /^(?:file|link|workspace|portal):/.test(range)) continue;
      const [, alias, aliasRange] = /^npm:(@?[^@]+)@?(.*)$/.exec(range) ?? [];
      const version = /^=?v?(\d+\.\d+\.\d+(?!\d)[\w.+-]*)$/.exec(aliasRange ?? range)?.[1];
      yield component("npm", alias ?? name, version, path, lineOf(name), {
        isDevelopment: kind === "devDependencies",
      });
    }
  }
}

export function* readYarnLock(text: string, path: string): Generator<Component> {
  let open: { readonly name: string; readonly line: number } | undefined;
  for (const [index, line] of text.split("\n").entries()) {
    const address = /^\s+"?resolved"?\s+"?(https?:[^\s"]+)/.exec(line)?.[1];
    if (address !== undefined) yield* taken(address, path, index + 1);
    const [, real, realVersion] = /^\s+resolution:\s+"(@?[^@"]+)@npm:([^":]+)"/.exec(line) ?? [];
    if (real !== undefined) yield component("npm", real, realVersion, path, index + 1);
    const name = /^"?(@?[^@\s"]+)@[^\n]+:\s*$/.exec(line)?.[1];
    if (name !== undefined) {
      if (open !== undefined) yield component("npm", open.name, undefined, path, open.line);
      open = { name, line: index + 1 };
    }
    const version = /^\s+"?version"?:?\s+"?([^"\s]+)"?/.exec(line)?.[1];
    if (version === undefined || open === undefined) continue;
    if (version !== "0.0.0-use.local") yield component("npm", open.name, version, path, index + 1);
    open = undefined;
  }
  if (open !== undefined) yield component("npm", open.name, undefined, path, open.line);
}

export function* readPnpmLock(text: string, path: string): Generator<Component> {
  let isPackages = false;
  let isFirst = false;
  for (const [index, line] of text.split("\n").entries()) {
    if (/^\s*(?:#|$)/.test(line)) continue;
    if (/^\S/.test(line)) {
      isPackages = /^["']?packages\b/.test(line);
      isFirst = isPackages;
      if (isPackages && !/^packages:\s*(?:\{\}\s*)?$/.test(line))
        throw new Error("The packages are not listed as pnpm does.");
      continue;
    }
    if (!isPackages) continue;
    if (isFirst && !/^ {2}\S/.test(line)) throw new Error("The packages are not listed as pnpm does.");
    isFirst = false;
    const [, name, version] = /^ {2}['"]?\/?(@?[^@\s'"]+)[@/](\d[^\s:('"]*)/.exec(line) ?? [];
    if (name !== undefined) yield component("npm", name, version, path, index + 1);
    const address = /\btarball["']?:\s*["']?(https?:[^\s"',}]+)/.exec(line)?.[1];
    if (address !== undefined) yield* taken(address, path, index + 1);
  }
}

/** The package that a registry has at an address: programs take that one, whatever stands beside the address. */
function* taken(address: string, path: string, line: number, isDevelopment = false): Generator<Component> {
  const [, scope = "", name, version] =
    /\/(?:(@[^/%]{1,214})(?:\/|%2f))?([^/]{1,214})\/-\/\2-([^/?#]{1,256})\.tgz(?:[?#]|$)/i.exec(address) ?? [];
  if (name === undefined) return;
  yield component("npm", scope === "" ? name : `${scope}/${name}`, version, path, line, { isDevelopment });
}
