import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { removeFolder } from "../remove-folder.ts";
import { makeFolderIn } from "./repository.ts";
import { type Repository, runGit } from "./run-git.ts";

/** The unified diff of two texts under the name of their file; empty if they are equal. */
export async function diffTexts(repository: Repository, path: string, from: Buffer, to: Buffer): Promise<string> {
  if (from.equals(to)) return "";
  const folder = await makeFolderIn(repository, "diff");
  try {
    const [before, after] = [join(folder, "before"), join(folder, "after")];
    await Promise.all([writeFile(before, from), writeFile(after, to)]);
    const args = ["diff", "--no-index", "--no-color", "--no-ext-diff", "--no-textconv", "--text", before, after];
    const { stdout } = await runGit(repository, args, { answers: [0, 1] });
    const text = stdout.toString("utf8");
    // The lines before it name the two temporary files.
    const start = text.indexOf("\n@@ ");
    return start === -1 ? "" : `--- a/${path}\n+++ b/${path}${text.slice(start)}`;
  } finally {
    await removeFolder(folder);
  }
}
