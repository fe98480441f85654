import { open, readFile, rename } from "node:fs/promises";

/**
 * Entries on disk, one line of JSON each. A line counts once it is there with its line break: what a crash left half
 * written is cut off at the next start.
 */
export class Journal {
  #handle;
  #waiting = [];
  #isWriting = false;

  constructor(handle) {
    this.#handle = handle;
  }

  /** Opens the file and hands over what it holds. */
  static async open(path) {
    const bytes = await readFile(path).catch((error) => {
      if (error.code === "ENOENT") return Buffer.alloc(0);
      throw error;
    });
    const whole = bytes.subarray(0, bytes.lastIndexOf(10) + 1);
    const entries = whole
      .toString("utf8")
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    const handle = await open(path, "a", 0o600);
    if (whole.length < bytes.length) await handle.truncate(whole.length);
    return { journal: new Journal(handle), entries };
  }

  /** Puts other entries in the place of all that are there: either all of them are on disk afterwards, or none. */
  static async rewrite(path, entries) {
    const draft = `${path}.tmp`;
    const handle = await open(draft, "w", 0o600);
    await handle.writeFile(entries.map(lineOf).join(""));
    await handle.sync();
    await handle.close();
    await rename(draft, path);
  }

  /** Done when the entries are safely on disk. Entries that arrive while others are written go together. */
  append(entries) {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ text: entries.map(lineOf).join(""), resolve, reject });
      void this.#write();
    });
  }

  async close() {
    await this.append([]);
    await this.#handle.close();
  }

  async #write() {
    if (this.#isWriting) return;
    this.#isWriting = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0);
      try {
        await this.#handle.appendFile(batch.map(({ text }) => text).join(""));
        await this.#handle.datasync();
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#isWriting = false;
  }
}

function lineOf(entry) {
  return `${JSON.stringify(entry)}\n`;
}
