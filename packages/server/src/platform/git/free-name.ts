import { createHash } from "node:crypto";
import { posix } from "node:path";
import { hasAt } from "./sorted-paths.ts";

interface Taken {
  /** Paths of files that have their place already. */
  readonly entries: ReadonlyMap<string, unknown>;
  /** All others that are to have one, in their order. */
  readonly paths: readonly string[];
}

/** The longest name that file systems take, without what a number behind it needs. */
const maxNameBytes = 255 - 8;

/**
 * A path beside another one, with an ending, at which nothing is or will be: git would drop a folder's files without a word
 * for a file of its name.
 */
export function freeName({ entries, paths }: Taken, path: string, ending: string): string {
  const wanted = posix.join(posix.dirname(path), withEnding(posix.basename(path), ending));
  const isTaken = (name: string) => entries.has(name) || hasAt(paths, name);
  let name = wanted;
  for (let number = 2; isTaken(name); number += 1) name = `${wanted}-${number}`;
  return name;
}

/** A name that would be too long is cut, and told from others that begin alike. */
function withEnding(name: string, ending: string): string {
  if (Buffer.byteLength(name + ending) <= maxNameBytes) return name + ending;
  const end = `~${createHash("sha1").update(name).digest("hex").slice(0, 8)}${ending}`;
  const beginning = Buffer.from(name).subarray(0, maxNameBytes - end.length);
  return beginning.toString().replace(/\ufffd+$/, "") + end;
}
