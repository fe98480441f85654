import { stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { packFolder, unpackFolder } from "../../platform/archive/index.ts";

/** Never part of a source: a repository of the person's own, and what a package manager fetches again. */
const leftOut = [".git", "node_modules"];

/**
 * Packs a folder to the standard output, or unpacks the standard input into one and prints how many files came; gives why
 * it could not. For the command line, which has no code for archives of its own.
 */
export async function archiveCommand([action, folder]: readonly string[]): Promise<string | undefined> {
  if (folder === undefined || (action !== "pack" && action !== "unpack")) return "say 'archive pack|unpack <folder>'";
  try {
    if (action === "unpack") process.stdout.write(`${await unpackFolder(process.stdin, folder)}\n`);
    else {
      if (!(await stat(folder)).isDirectory()) return `${folder} is no folder`;
      await pipeline(
        Readable.from(packFolder(folder, { leavesOut: (name) => leftOut.includes(name) })),
        process.stdout,
      );
    }
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
