import { constants } from "node:fs";
import { lchown, open, opendir } from "node:fs/promises";
import { stuckFileCalls } from "../project-files/index.ts";
import { diskCalls } from "./disk-room.ts";
import { maxLookMs } from "./look-at-paths.ts";

/** Of more entries, a program is quicker and holds up nobody. */
const maxEntries = 200;
const folderFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_DIRECTORY;

interface Walk {
  readonly uid: number;
  readonly gid: number;
  /** Aborted once nobody waits for it any more: the folder may be somebody else's by then. */
  readonly over: AbortSignal;
  entriesLeft: number;
}

/**
 * Faster than starting `chown`, which goes from folder to folder in the same way: no process of the run exists yet, but one of
 * another run may have been sent a folder through a socket, and exchange what is in it for links. False where the folder is
 * large, has a name that is not UTF-8, which another file may be found by, or changes meanwhile, and where its disk does not
 * answer soon.
 */
export async function chownSmallFolder(
  folder: string,
  { uid, gid }: { readonly uid: number; readonly gid: number },
  signal: AbortSignal,
): Promise<boolean> {
  if (stuckFileCalls() > 0) return false;
  const over = new AbortController();
  const walk: Walk = { uid, gid, over: over.signal, entriesLeft: maxEntries };
  try {
    return await diskCalls.run(() => give(folder, walk), { path: folder, signal, limitMs: maxLookMs });
  } catch {
    // The program says what is wrong with it.
    return false;
  } finally {
    over.abort();
  }
}

/** Holds the folder open: its entries are changed in this very folder, whoever exchanges it for a link meanwhile. */
async function give(path: string, walk: Walk): Promise<boolean> {
  const folder = await open(path, folderFlags);
  try {
    const here = `/proc/self/fd/${folder.fd}`;
    for (const { name, isFolder } of await entriesOf(here, walk)) {
      if (walk.entriesLeft < 0 || name.includes("\ufffd")) return false;
      walk.over.throwIfAborted();
      const inner = `${here}/${name}`;
      if (!isFolder) await lchown(inner, walk.uid, walk.gid);
      else if (!(await give(inner, walk))) return false;
    }
    if (walk.entriesLeft < 0) return false;
    walk.over.throwIfAborted();
    // The folder itself last: whoever finds it chowned takes the rest for done.
    await folder.chown(walk.uid, walk.gid);
    return true;
  } finally {
    await folder.close();
  }
}

/** Up to one more than may be. Piece by piece: an earlier run may have left a million names in it. */
async function entriesOf(path: string, walk: Walk) {
  const entries: { readonly name: string; readonly isFolder: boolean }[] = [];
  for await (const entry of await opendir(path, { bufferSize: maxEntries })) {
    entries.push({ name: entry.name, isFolder: entry.isDirectory() });
    walk.entriesLeft -= 1;
    if (walk.entriesLeft < 0) break;
  }
  return entries;
}
