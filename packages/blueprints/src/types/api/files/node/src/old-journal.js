import { readFile } from "node:fs/promises";

/**
 * What an earlier version of this service kept, in a file of one line of JSON for each change; undefined if there is none.
 * What a crash left half written is left out.
 */
export async function readJournal(path) {
  const text = await readFile(path, "utf8").catch((error) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const records = new Map();
  let lastId = 0;
  for (const line of text
    .slice(0, text.lastIndexOf("\n") + 1)
    .split("\n")
    .filter(Boolean)) {
    const { put, remove, last = 0 } = JSON.parse(line);
    if (put !== undefined) records.set(String(put.id), put);
    records.delete(String(remove));
    lastId = Math.max(lastId, last, Number.isSafeInteger(put?.id) ? put.id : 0);
  }
  return { records: [...records.values()], lastId };
}
