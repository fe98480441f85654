import { parseJson } from "../../../platform/bounded-json.ts";
import { FileRefusal, readProjectFile } from "../../../platform/project-files/index.ts";
import { readBounded } from "../../reading/read-bounded.ts";
import type { Component } from "./component.ts";
import { keyOf, maxComponents, readerOf, withinLength } from "./lockfiles.ts";

/** What a project takes from others, and the files that could not tell. */
export interface ReadComponents {
  readonly components: readonly Component[];
  readonly unread: readonly { readonly path: string; readonly reason: string }[];
}

const maxFileBytes = 32 * 1024 * 1024;
/** Of all together. */
const maxTotalBytes = 128 * 1024 * 1024;

/** Reads every lockfile and list of requirements among a project's files. */
export async function readComponents(
  folder: string,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<ReadComponents> {
  const components = new Map<string, Component>();
  const unread: { path: string; reason: string }[] = [];
  const folders = new Map<string, Set<string>>();
  for (const path of paths) {
    const at = path.lastIndexOf("/");
    const names = folders.get(path.slice(0, Math.max(0, at))) ?? new Set();
    names.add(path.slice(at + 1));
    folders.set(path.slice(0, Math.max(0, at)), names);
  }
  let leftBytes = maxTotalBytes;
  for (const path of paths) {
    const name = path.slice(path.lastIndexOf("/") + 1);
    // Those of the dependencies themselves say what their authors use.
    if (/(?:^|\/)node_modules\//.test(path)) continue;
    const reader = readerOf(path);
    if (reader === undefined) continue;
    const siblings = folders.get(path.slice(0, Math.max(0, path.lastIndexOf("/")))) ?? new Set();
    if (reader.unless?.some((one) => siblings.has(one))) continue;
    try {
      const bytes = await readProjectFile(folder, path, { maxBytes: maxFileBytes, signal });
      if (bytes.length > leftBytes) {
        unread.push({ path, reason: `is beyond the first ${maxTotalBytes} bytes of such files` });
        continue;
      }
      leftBytes -= bytes.length;
      const named = await readBounded("components", [bytes, path], { path, signal });
      if (named === undefined) {
        unread.push({ path, reason: `cannot be read as ${name}` });
        continue;
      }
      for (const found of named) {
        const key = keyOf(found);
        if (!components.has(key)) components.set(key, found);
        if (components.size >= maxComponents)
          return {
            components: [...components.values()],
            unread: [...unread, { path, reason: `names more than ${maxComponents} packages` }],
          };
      }
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof FileRefusal)) throw error;
      unread.push({ path, reason: error.message });
    }
  }
  return { components: await withLicenses(folder, [...components.values()], signal), unread };
}

/** Where a lockfile does not tell a licence, the installed package may. */
async function withLicenses(
  folder: string,
  components: readonly Component[],
  signal: AbortSignal,
): Promise<Component[]> {
  const filled: Component[] = [];
  for (const one of components) {
    if (one.license !== undefined || one.ecosystem !== "npm") {
      filled.push(one);
      continue;
    }
    const home = one.path.includes("/") ? `${one.path.slice(0, one.path.lastIndexOf("/"))}/` : "";
    const bytes = await readProjectFile(folder, `${home}node_modules/${one.name}/package.json`, {
      maxBytes: 1024 * 1024,
      signal,
    }).catch(() => undefined);
    filled.push({ ...one, license: bytes === undefined ? undefined : licenseIn(bytes.toString("utf8")) });
  }
  return filled;
}

function licenseIn(text: string): string | undefined {
  const { license } = Object(parseJson(text)?.value) as { license?: unknown };
  return typeof license === "string" ? withinLength(license) : undefined;
}
