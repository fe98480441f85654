// Copies SQLite databases while programs use them: `node sqlite-copier.mjs`, with their paths as a JSON list on standard
// input; the n-th becomes `n.db` in this folder. It runs in the sandbox of the program that wrote them, because a database
// may be made to attack whoever opens it. It prints a line for each that it cannot copy.
import { rmSync } from "node:fs";
import { backup, DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";

// In one step: after a write in between, another one would begin anew, for ever beside a busy program.
const rate = 2 ** 31 - 1;
const timeout = 60_000;

for (const [index, path] of JSON.parse(await text(process.stdin)).entries()) {
  try {
    // One that was left with a journal by a crash must be written to before it can be read.
    await copy(path, `${index}.db`, true).catch(() => copy(path, `${index}.db`, false));
  } catch (error) {
    rmSync(`${index}.db`, { force: true });
    process.stdout.write(`${JSON.stringify({ index, reason: String(error.message) })}\n`);
  }
}

async function copy(path, to, readOnly) {
  rmSync(to, { force: true });
  const database = new DatabaseSync(path, { readOnly, timeout, enableForeignKeyConstraints: false });
  try {
    await backup(database, to, { rate });
  } finally {
    database.close();
  }
}
