// Copies SQLite databases while programs use them: `node copy.mjs`, with their paths and time limits as JSON on standard
// input; the n-th becomes `n.db` in this folder. It runs in the sandbox of the program that wrote them, because a database
// may be made to attack whoever opens it. It prints a line for each that it cannot copy. A process of its own does the
// work: what waits for a lock or a pipe can only be ended from outside.
import { fork } from "node:child_process";
import { rmSync } from "node:fs";
import { backup, DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";

// In one step: after a write in between, another one would begin anew, for ever beside a busy program.
const rate = 2 ** 31 - 1;

if (process.argv[2] === "copies") process.on("message", answer);
else await superviseCopies(JSON.parse(await text(process.stdin)));

async function superviseCopies({ databases, busyMs, limitMs }) {
  const end = performance.now() + limitMs;
  let copier;
  for (const [index, { path, limitMs: ownMs }] of databases.entries()) {
    const leftMs = Math.min(ownMs, end - performance.now());
    copier ??= leftMs > 0 ? startCopier() : undefined;
    const reason = leftMs > 0 ? await copier.copy({ path, to: `${index}.db`, busyMs }, leftMs) : "no time was left for it";
    if (reason === undefined) continue;
    rmSync(`${index}.db`, { force: true });
    process.stdout.write(`${JSON.stringify({ index, reason })}\n`);
    if (copier?.isOver) copier = undefined;
  }
  copier?.end();
}

function startCopier() {
  const child = fork(process.argv[1], ["copies"], { execArgv: ["--no-warnings"] });
  const ended = new Promise((resolve) => {
    child.once("exit", (code, signal) => resolve(`it ended with ${signal ?? code}`));
    // Its program may have used up all processes.
    child.on("error", (error) => resolve(String(error.message)));
  });
  const copier = { copy, end: () => child.kill("SIGKILL"), isOver: false };
  void ended.then(() => {
    copier.isOver = true;
  });
  return copier;

  /** Returns why not. */
  async function copy(order, ms) {
    const { promise: late, resolve } = Promise.withResolvers();
    const timer = setTimeout(resolve, ms, `it took longer than ${Math.round(ms / 1000)} s`);
    child.send(order, () => undefined);
    const answered = new Promise((answer) => child.once("message", ({ reason }) => answer(reason)));
    const reason = await Promise.race([answered, ended, late]);
    clearTimeout(timer);
    if (reason?.startsWith("it took longer")) {
      child.kill("SIGKILL");
      await ended;
    }
    return reason;
  }
}

async function answer({ path, to, busyMs }) {
  try {
    // One that was left with a journal by a crash must be written to before it can be read.
    await copy(path, to, busyMs, true).catch((error) => {
      if (isBusy(error)) throw error;
      return copy(path, to, busyMs, false);
    });
    process.send({});
  } catch (error) {
    process.send({ reason: isBusy(error) ? "a program keeps it locked" : String(error.message) });
  }
}

async function copy(path, to, timeout, readOnly) {
  rmSync(to, { force: true });
  const database = new DatabaseSync(path, { readOnly, timeout, enableForeignKeyConstraints: false });
  try {
    await backup(database, to, { rate });
  } finally {
    database.close();
  }
}

/** The copy itself says of a lock that there was no error. */
function isBusy({ errcode }) {
  return errcode === 0 || errcode === 5 || errcode === 6;
}
