import type { Dirent } from "node:fs";
import { opendir, readlink } from "node:fs/promises";
import { FileRefusal } from "./file-refusal.ts";
import { type PathOptions, partsOf, placeOf } from "./inner-path.ts";
import { below, type FolderOptions, fileCall, withFolder } from "./open-folder.ts";

/** An entry of a folder; `other` is a pipe, a socket or a device. */
export interface FolderEntry {
  readonly name: string;
  readonly kind: "file" | "folder" | "link" | "other";
}

interface FoundPath {
  /** From the root of the tree. */
  readonly path: string;
  readonly kind: "file" | "link" | "other";
}

interface ListOptions extends Pick<FolderOptions, "signal" | "hasDescriptors">, PathOptions {
  /** Refuses a folder that has more. */
  readonly maxEntries?: number;
  /** Leaves out names that are not UTF-8, instead of refusing them. */
  readonly skipsOddNames?: boolean;
  /** Called with the path of what is left out so, its bytes escaped. */
  readonly onOddName?: (path: string, kind: FolderEntry["kind"]) => void;
}

interface WalkOptions extends ListOptions {
  /** Whether to leave out an entry, by its name or by its path from the root of the tree. */
  readonly leavesOut?: (name: string, path: string) => boolean;
}

/** Folders of more entries, or deeper ones, are not made by people or tools. */
const usualEntries = 100_000;
const maxDepth = 200;

/** The entries of a folder of a project, in order of their names; refuses a name that is not UTF-8. */
export async function listProjectFolder(root: string, path: string, where: ListOptions = {}): Promise<FolderEntry[]> {
  return withFolder(root, partsOf(path, where), where, async (folder) => {
    const found: FolderEntry[] = [];
    const { signal, onOddName, skipsOddNames = onOddName !== undefined, maxEntries = usualEntries } = where;
    // Through the descriptor: the folder that was checked is the one that is read.
    const opening = () => opendir(folder.at(""), { encoding: "buffer" as BufferEncoding, bufferSize: 1_000 });
    const listing = await fileCall(opening, { path, signal, discard: (late) => late.close() });
    try {
      for (;;) {
        const entry = await fileCall(() => listing.read(), { path, signal });
        if (entry === null) break;
        if (found.length === maxEntries)
          throw new FileRefusal("too_large", path, `has more than ${maxEntries} entries.`);
        const name = nameOf(entry);
        if (isOdd(name, entry)) {
          const shown = below(path, escaped(entry));
          onOddName?.(shown, kindOf(entry));
          if (skipsOddNames) continue;
          throw new FileRefusal("unreadable", shown, "has a name that is not valid UTF-8. Rename it.");
        }
        found.push({ name, kind: kindOf(entry) });
      }
    } finally {
      await fileCall(() => listing.close(), { path }).catch(() => undefined);
    }
    await folder.confirm();
    return found.sort((a, b) => (a.name < b.name ? -1 : 1));
  });
}

/** All files and links below a project's folder, in order of their paths; follows no link. */
export async function* walkProjectFiles(
  root: string,
  { leavesOut = () => false, ...where }: WalkOptions = {},
  path = ".",
  depth = 0,
): AsyncGenerator<FoundPath> {
  if (depth > maxDepth) throw new FileRefusal("too_large", path, `lies deeper than ${maxDepth} folders.`);
  for (const { name, kind } of await listProjectFolder(root, path, where)) {
    const inner = below(path, name);
    if (leavesOut(name, inner)) continue;
    if (kind === "folder") yield* walkProjectFiles(root, { leavesOut, ...where }, inner, depth + 1);
    else yield { path: inner, kind };
  }
}

/** The target of a link of a project, as it stands there; refuses one that is not UTF-8. */
export async function readProjectLink(root: string, path: string, where: ListOptions = {}): Promise<string> {
  const { folders, name } = placeOf(path, where);
  return withFolder(root, folders, where, (folder) =>
    fileCall(
      async () => {
        const target = await readlink(folder.at(name), "buffer");
        const text = target.toString("utf8");
        if (Buffer.from(text).equals(target)) return text;
        throw new FileRefusal("unreadable", path, "leads to a name that is not valid UTF-8.");
      },
      { path, signal: where.signal },
    ),
  );
}

function nameOf(entry: Dirent): string {
  return (entry.name as unknown as Buffer).toString("utf8");
}

/** As a shell's `$'…'` would take it. */
function escaped(entry: Dirent): string {
  const bytes = (entry.name as unknown as Buffer).toString("latin1");
  return bytes.replace(/[^ -~]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16).padStart(2, "0")}`);
}

function isOdd(name: string, entry: Dirent): boolean {
  return !Buffer.from(name).equals(entry.name as unknown as Buffer);
}

function kindOf(entry: Dirent): FolderEntry["kind"] {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "folder";
  return entry.isSymbolicLink() ? "link" : "other";
}
