import { randomUUID } from "node:crypto";
import { type FileHandle, open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Entry } from "./read-entries.ts";

/** A link of an archive. */
export type Link = Pick<Entry, "path" | "target">;

const maxHeldChars = 1024 * 1024;

/**
 * Remembers links until all else is unpacked. A deployed program may have made millions, of 4 KB each: beyond a megabyte they
 * are in a file of the folder they go to, whose name is removed at once, so that nothing of it is left.
 */
export class LinkSpool {
  readonly #folder: string;
  #file: FileHandle | undefined;
  #held: string[] = [];
  #heldChars = 0;

  /** The folder must exist when the first link is added. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  async add({ path, target }: Link): Promise<void> {
    // In base64, because a reader of lines takes more characters for their end than JSON escapes.
    const line = Buffer.from(JSON.stringify([path, target])).toString("base64");
    this.#held.push(line);
    this.#heldChars += line.length;
    if (this.#heldChars <= maxHeldChars) return;
    this.#file ??= await openNameless(this.#folder);
    await this.#file.writeFile(`${this.#held.join("\n")}\n`);
    this.#held = [];
    this.#heldChars = 0;
  }

  /** The links in the order they came in. */
  async *read(): AsyncGenerator<Link> {
    if (this.#file !== undefined)
      for await (const line of this.#file.readLines({ start: 0, autoClose: false })) yield linkIn(line);
    for (const line of this.#held) yield linkIn(line);
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }
}

function linkIn(line: string): Link {
  const [path, target] = JSON.parse(Buffer.from(line, "base64").toString("utf8")) as [string, string];
  return { path, target };
}

async function openNameless(folder: string): Promise<FileHandle> {
  const path = join(folder, `.links-${randomUUID()}`);
  const file = await open(path, "wx+", 0o600);
  await rm(path);
  return file;
}
