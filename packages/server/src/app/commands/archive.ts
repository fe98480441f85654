import { once } from "node:events";
import { realpath, stat } from "node:fs/promises";
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
      // The folder that the person names may be a link; none below it is followed.
      const packed = packFolder(await realpath(folder), { leavesOut: (name) => leftOut.includes(name) });
      // Not as a stream, whose failure would be told as one of the output.
      for await (const chunk of packed) if (!process.stdout.write(chunk)) await once(process.stdout, "drain");
    }
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
