import { realpath, stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { packFolder, unpackFolder } from "../../platform/archive/index.ts";

/** Never part of a source: a person's own repository, and what a package manager installs again. */
const leftOut = [".git", "node_modules"];

/**
 * Packs a folder to standard output, or unpacks standard input into one and prints the number of files; returns an error
 * message, if it fails. The command line calls it, because it has no code for archives.
 */
export async function archiveCommand([action, folder]: readonly string[]): Promise<string | undefined> {
  if (folder === undefined || (action !== "pack" && action !== "unpack")) return "say 'archive pack|unpack <folder>'";
  try {
    if (action === "unpack") process.stdout.write(`${await unpackFolder(process.stdin, folder)}\n`);
    else {
      if (!(await stat(folder)).isDirectory()) return `${folder} is not a folder`;
      await pipeline(
        // The folder that the person names may be a link; none below it is followed.
        Readable.from(packFolder(await realpath(folder), { leavesOut: (name) => leftOut.includes(name) })),
        process.stdout,
      );
    }
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
