import { FileRefusal, listProjectFolder, readProjectLink } from "../../platform/project-files/index.ts";
import type { Unscanned } from "./finding.ts";

/** The files of a project that a scan reads, and what it leaves out. */
export interface GatheredFiles {
  readonly paths: readonly string[];
  readonly unscanned: readonly Unscanned[];
  /** Links to its folders, and to those files. */
  readonly links: readonly InnerLink[];
}

/** A link to something of the project. */
export interface InnerLink {
  readonly path: string;
  readonly target: string;
}

interface GatherOptions {
  readonly signal: AbortSignal;
  readonly maxFiles: number;
  /** Only these; left out: every file of the folder. */
  readonly only?: ReadonlySet<string> | undefined;
}

const maxDepth = 200;

/** Lists every file of a project, hidden or not; what git, editors or packers leave out is scanned like any other. */
export async function gatherFiles(folder: string, { signal, maxFiles, only }: GatherOptions): Promise<GatheredFiles> {
  const paths: string[] = [];
  const links: string[] = [];
  const unscanned: Unscanned[] = [];
  const folders = new Set<string>();
  const waiting: { path: string; depth: number }[] = [{ path: ".", depth: 0 }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { path, depth } = next;
    if (depth > maxDepth) {
      unscanned.push({ path, reason: `lies deeper than ${maxDepth} folders` });
      continue;
    }
    for (const { name, kind } of await list(folder, path, signal, unscanned)) {
      const inner = path === "." ? name : `${path}/${name}`;
      // The service's own copy of the history; a result with another one is refused when it is committed.
      if (name === ".git") continue;
      if (kind === "folder") {
        folders.add(inner);
        waiting.push({ path: inner, depth: depth + 1 });
      } else if (only !== undefined && !only.has(inner)) continue;
      else if (kind === "link") links.push(inner);
      else if (kind === "other") unscanned.push({ path: inner, reason: "is a pipe, a socket or a device" });
      else if (paths.length >= maxFiles)
        unscanned.push({ path: inner, reason: `is beyond the first ${maxFiles} files` });
      else paths.push(inner);
    }
  }
  paths.sort();
  const known = new Set(paths);
  const inner: InnerLink[] = [];
  for (const path of links) {
    const target = await targetOf(folder, path, signal);
    // What it leads to is scanned under its own name, too.
    if (target !== undefined && (known.has(target) || folders.has(target))) inner.push({ path, target });
    else unscanned.push({ path, reason: "is a link to something that is not a scanned file of the project" });
  }
  return { paths, unscanned, links: inner };
}

async function list(folder: string, path: string, signal: AbortSignal, unscanned: Unscanned[]) {
  try {
    return await listProjectFolder(folder, path, { signal });
  } catch (error) {
    if (!(error instanceof FileRefusal)) throw error;
    if (error.code !== "unreadable") {
      unscanned.push({ path, reason: error.message });
      return [];
    }
    unscanned.push({ path, reason: "holds a file whose name is not valid UTF-8" });
    return listProjectFolder(folder, path, { signal, skipsOddNames: true }).catch(() => []);
  }
}

/** Where a link leads inside the project; undefined if it leads out. */
async function targetOf(folder: string, path: string, signal: AbortSignal): Promise<string | undefined> {
  const target = await readProjectLink(folder, path, { signal }).catch(() => undefined);
  if (target === undefined || target.startsWith("/")) return undefined;
  const parts = path.split("/").slice(0, -1);
  for (const part of target.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join("/");
}
