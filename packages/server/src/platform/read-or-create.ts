import { randomUUID } from "node:crypto";
import { link, open, readFile, rm } from "node:fs/promises";

/**
 * The text of a file that the first of several processes makes. It gets its name once it is written: nobody reads a half, and
 * neither a full disk nor the end of the process leaves one.
 */
export async function readOrCreate(file: string, make: () => string): Promise<string> {
  const found = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (found !== undefined) return found;
  const draft = `${file}.${randomUUID()}`;
  try {
    {
      await using handle = await open(draft, "wx", 0o600);
      await handle.writeFile(make());
      await handle.sync();
    }
    await link(draft, file).catch((error: NodeJS.ErrnoException) => {
      // Another process was first; its text counts.
      if (error.code !== "EEXIST") throw error;
    });
  } finally {
    await rm(draft, { force: true });
  }
  return readFile(file, "utf8");
}
