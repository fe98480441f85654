import { chmod, link, lstat, mkdir, open, rm, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { maxPathBytes } from "../path-length.ts";
import type { LeftOut } from "./left-out.ts";
import { type Link, LinkSpool } from "./link-spool.ts";
import { type Entry, readEntries } from "./read-entries.ts";
import { requireInside, shown } from "./require-inside.ts";

interface UnpackOptions {
  /** Whether paths may be git's own: in data, not in sources. */
  readonly hasRepositories?: boolean;
  /** How many files, links and folders a stranger's archive may have. */
  readonly maxEntries?: number;
  /** Whether a file may have further names: in an archive of ours, into a folder that nobody else writes to. */
  readonly hasHardLinks?: boolean;
  /** Called for an entry that cannot be written at this place, instead of ending there. */
  readonly onLeftOut?: (left: LeftOut) => void;
}

/**
 * Unpacks a tar archive into an empty folder; returns the number of files and links. It refuses paths that leave the
 * folder, and creates links last, so that nothing is written through one. A hard link leads to a file that the same archive
 * had before.
 */
export async function unpackFolder(
  archive: AsyncIterable<Uint8Array>,
  folder: string,
  { hasRepositories = false, hasHardLinks = false, maxEntries, onLeftOut }: UnpackOptions = {},
): Promise<number> {
  const attempt = (entry: Named, work: () => Promise<unknown>) => orLeftOut(onLeftOut, entry, work);
  const count = maxEntries === undefined ? () => undefined : entryCounter(maxEntries);
  const links = new LinkSpool(folder);
  let files = 0;
  try {
    for await (const entry of readEntries(archive)) {
      requireInside(entry.path, { hasRepositories });
      count(entry);
      const path = join(folder, entry.path);
      switch (entry.kind) {
        case "link":
          // All folders before the first link: a link that lies in another one would be created where that one leads.
          if (await attempt(entry, () => prepareLink(entry, path))) await links.add(entry);
          break;
        case "folder":
          await attempt(entry, () => mkdir(path, { recursive: true }));
          break;
        case "hard_link":
          if (!hasHardLinks) throw new Error(hardLinkRefused(entry.path));
          requireInside(entry.target, { hasRepositories });
          if (await attempt(entry, () => addName(join(folder, entry.target), path))) files += 1;
          break;
        case "file":
          if (await attempt(entry, () => writeFile(entry, path))) files += 1;
      }
    }
    for await (const { path, target } of links.read())
      if (await attempt({ path, kind: "link" }, () => symlink(target, join(folder, path)))) files += 1;
  } finally {
    await links.close();
  }
  return files;
}

type Named = Pick<Entry, "path" | "kind">;

/** What no system takes is refused at once, and not after all else. */
async function prepareLink({ path, target }: Link, place: string): Promise<void> {
  if (Buffer.byteLength(target) > maxPathBytes) {
    const reason = `The archive's ${shown(path)} leads to a path longer than ${maxPathBytes} bytes.`;
    throw Object.assign(new Error(reason), { code: "ENAMETOOLONG" });
  }
  await mkdir(dirname(place), { recursive: true });
}

/** What the name, the size or the kind of an entry leads to at a place that is not as its own was. */
const entryProblems = ["ENAMETOOLONG", "EEXIST", "ENOTDIR", "EISDIR", "EINVAL", "EILSEQ", "EFBIG", "EMLINK"];
/** What a disk says that knows no such links. */
const linkProblems = ["EPERM", "EOPNOTSUPP", "ENOSYS"];

/** Whether it was written; anything else than the entry itself, such as a full disk, ends the unpacking. */
async function orLeftOut(
  onLeftOut: UnpackOptions["onLeftOut"],
  { path, kind }: Named,
  work: () => Promise<unknown>,
): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const isLink = kind === "link" || kind === "hard_link";
    const problems = isLink ? [...entryProblems, ...linkProblems] : entryProblems;
    const isOwnFault = error instanceof MissingTarget || problems.includes(code ?? "");
    if (onLeftOut === undefined || !isOwnFault) throw error;
    onLeftOut({ path, reason: code === undefined ? message : `cannot be written here (${code})`, isLoss: true });
    return false;
  }
}

class MissingTarget extends Error {
  override readonly name = "MissingTarget";
}

/** Gives a file a further name. The folder was empty, so the file is of the same archive; links come later. */
async function addName(file: string, path: string): Promise<void> {
  const found = await lstat(file).catch(() => undefined);
  if (!found?.isFile()) throw new MissingTarget("is a second name of a file that is missing");
  await mkdir(dirname(path), { recursive: true });
  await link(file, path);
}

function hardLinkRefused(path: string): string {
  const remedy = "Pack hard links as files, as tar does with --hard-dereference.";
  return `The archive's ${shown(path)} is neither a file nor a link nor a folder. ${remedy}`;
}

/** The folders that a folder has, by name. */
interface Folders extends Map<string, Folders> {}

/** Refuses one entry too many, with the folders that it lies in: one path of a few kilobytes may name two thousand. */
function entryCounter(maxEntries: number): (entry: Entry) => void {
  const top: Folders = new Map();
  let entries = 0;
  const add = () => {
    entries += 1;
    if (entries > maxEntries) throw new Error(`The archive has more than ${maxEntries} files and folders.`);
  };
  return ({ path, kind }) => {
    const names = path.split("/").filter((name) => name !== "" && name !== ".");
    if (kind !== "folder") {
      names.pop();
      add();
    }
    let place = top;
    for (const name of names) {
      let below = place.get(name);
      if (below === undefined) {
        add();
        below = new Map();
        place.set(name, below);
      }
      place = below;
    }
  };
}

async function writeFile({ content, isExecutable }: Entry, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const file = await open(path, "wx");
  let failure: unknown;
  try {
    for await (const chunk of content) {
      // Read to its end: what comes after it in the archive may still be written.
      if (failure !== undefined) continue;
      await file.writeFile(chunk).catch((error: unknown) => {
        failure = error;
      });
      if (failure !== undefined && !isOfFile(failure)) throw failure;
    }
  } finally {
    await file.close();
  }
  if (failure !== undefined) {
    await rm(path);
    throw failure;
  }
  if (isExecutable) await chmod(path, 0o755);
}

/** Whether this file alone cannot be written on. */
function isOfFile(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "EFBIG";
}
