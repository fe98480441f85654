import { parseJson } from "../../../platform/bounded-json.ts";
import { FileRefusal, readProjectFile } from "../../../platform/project-files/index.ts";
import { readBounded } from "../../reading/read-bounded.ts";
import type { InnerLink } from "../gather-files.ts";
import type { Component } from "./component.ts";
import { bareNodePackages, crate, installedReaders } from "./installed.ts";
import { keyOf, maxComponents, readerOf } from "./lockfiles.ts";
import { withinLength } from "./make-component.ts";

/** What a project takes from others, and the files that could not tell. */
export interface ReadComponents {
  readonly components: readonly Component[];
  readonly unread: readonly { readonly path: string; readonly reason: string }[];
}

/** A project's files, and links to them and their folders. */
interface ToRead {
  readonly paths: readonly string[];
  readonly links?: readonly InnerLink[];
}

const maxFileBytes = 32 * 1024 * 1024;
/** Of all together. */
const maxTotalBytes = 128 * 1024 * 1024;
/** Of folders of packages that are links: each shows the same files again. */
const maxLinks = 10;

/**
 * Reads what tells of packages among a project's files: lockfiles, those that lie there, and what manifests ask for besides. A
 * stranger wrote them all, so what one of them leaves out another may tell.
 */
export async function readComponents(
  folder: string,
  { paths, links = [] }: ToRead,
  signal: AbortSignal,
): Promise<ReadComponents> {
  const components = new Map<string, Component>();
  const unread: { path: string; reason: string }[] = [];
  const add = (found: readonly Component[]) => {
    for (const one of found) {
      const key = keyOf(one);
      const known = components.get(key);
      // Packages themselves are read after lockfiles, and know their licences better.
      components.set(key, known === undefined ? one : { ...known, license: one.license ?? known.license });
    }
  };
  let leftBytes = maxTotalBytes;
  const listed = new Map<string, Set<string>>();
  const folderLinks = links.filter(({ path }) => /(?:^|\/)(?:node_modules|site-packages|vendor)$/.test(path));
  for (const { path } of folderLinks.slice(maxLinks))
    unread.push({ path, reason: `is beyond the first ${maxLinks} such links` });
  for (const { path, shown, isCrate, isManifest } of listsAmong(paths, links, folderLinks.slice(0, maxLinks))) {
    try {
      const bytes = await readProjectFile(folder, path, { maxBytes: maxFileBytes, signal });
      if (bytes.length > leftBytes) {
        unread.push({ path, reason: `is beyond the first ${maxTotalBytes} bytes of such files` });
        continue;
      }
      leftBytes -= bytes.length;
      const named = await readBounded("components", [bytes, shown, { isCrate }], { path, signal });
      if (named === undefined) {
        unread.push({ path, reason: `cannot be read as ${path.slice(path.lastIndexOf("/") + 1)}` });
        continue;
      }
      const home = shown.slice(0, shown.lastIndexOf("/") + 1);
      const besideIt = listed.get(home) ?? new Set<string>();
      add((isManifest ? besides(named, besideIt) : named).map((one) => ({ ...one, path })));
      if (!isManifest) for (const one of named) besideIt.add(keyOf(one)).add(nameOf(one));
      listed.set(home, besideIt);
      if (components.size >= maxComponents) {
        const first = [...components.values()].slice(0, maxComponents);
        return {
          components: first,
          unread: [...unread, { path, reason: `names more than ${maxComponents} packages` }],
        };
      }
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof FileRefusal)) throw error;
      unread.push({ path, reason: error.message });
    }
  }
  add(bareNodePackages(paths));
  return { components: await withLicenses(folder, [...components.values()], signal), unread };
}

interface ListToRead {
  readonly path: string;
  /** Where programs find it, if a folder above it is a link. */
  readonly shown: string;
  readonly isCrate: boolean;
  readonly isManifest: boolean;
}

/** Files that tell of packages: first lockfiles, then packages themselves, then manifests. */
function listsAmong(
  paths: readonly string[],
  links: readonly InnerLink[],
  folderLinks: readonly InnerLink[],
): readonly ListToRead[] {
  const known = new Set(paths);
  const places = [
    ...paths.map((path) => ({ path, shown: path })),
    ...links.filter(({ target }) => known.has(target)).map(({ path, target }) => ({ path: target, shown: path })),
    ...folderLinks.flatMap((link) =>
      paths
        .filter((path) => path.startsWith(`${link.target}/`))
        .map((path) => ({ path, shown: `${link.path}${path.slice(link.target.length)}` })),
    ),
  ];
  const found = places.flatMap(({ path, shown }) => {
    const reader = readerOf(shown);
    if (reader === undefined) return [];
    const isInstalled = installedReaders.includes(reader);
    const isCrate = crate.file.test(path) && known.has(path.replace(/[^/]+$/, ".cargo-checksum.json"));
    // Other lists in a package say what its authors use.
    if (!isInstalled && !isCrate && /(?:^|\/)node_modules\//.test(shown)) return [];
    const isManifest = !isCrate && reader.isManifest === true;
    return [{ path, shown, isCrate, isManifest, rank: isInstalled || isCrate ? 1 : isManifest ? 2 : 0 }];
  });
  return found.sort((a, b) => a.rank - b.rank);
}

/** What a manifest asks for that no lockfile beside it names, in the same version if it asks for one. */
function besides(asked: readonly Component[], listed: ReadonlySet<string>): readonly Component[] {
  return asked.filter((one) => !listed.has(one.version === undefined ? nameOf(one) : keyOf(one)));
}

function nameOf({ ecosystem, name }: Component): string {
  return `${ecosystem}:${name}`;
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
