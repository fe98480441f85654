import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, cpSync, linkSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { copySqlite, usualLimits } from "../../../src/app/backup/copy-sqlite.ts";
import { packApp } from "../../../src/app/backup/pack-apps.ts";
import { unpackApp } from "../../../src/app/backup/unpack-apps.ts";
import type { LeftOut } from "../../../src/platform/archive/index.ts";
import { removeFolder } from "../../../src/platform/remove-folder.ts";
import { makeUnreadableFile } from "../../support/files/unreadable-file.ts";
import { sandboxFor, ways } from "../../support/sandboxes.ts";

const progress = () => undefined;
const { signal } = new AbortController();

/** A deployment's data, and what a backup of it gives. */
function deployment() {
  const { sandbox, place } = sandboxFor(ways[0]);
  const appsFolder = join(place, "apps");
  const data = join(appsFolder, "dep_1", "data");
  mkdirSync(data, { recursive: true });
  // What belongs to root was never given to a program.
  if (process.getuid?.() === 0) chownSync(data, 12_345, 12_345);
  const leftOut: string[] = [];
  const onLeftOut = ({ path, reason, isLoss }: LeftOut) => {
    if (isLoss) leftOut.push(`${path}: ${reason}`);
  };
  const backup = join(place, "backup");
  const pack = () =>
    packApp(
      { sandbox, signal, progress, onLeftOut, sealedCopies: new Map() },
      { appsFolder, deploymentId: "dep_1" },
      backup,
    );
  /** Packs it, and unpacks it elsewhere. */
  const roundTrip = async () => {
    const app = (await pack())!;
    const restored = join(place, "restored");
    await unpackApp(app, { backup, appsFolder: restored, progress, onLeftOut, sealedCopies: new Map() });
    return join(restored, "dep_1", "data");
  };
  return { sandbox, place, data, leftOut, roundTrip, archive: join(backup, "apps", "dep_1", "data.tar.gz") };
}

function newDatabase(path: string, value: string): DatabaseSync {
  const database = new DatabaseSync(path);
  database.exec("create table t (v)");
  database.prepare("insert into t values (?)").run(value);
  return database;
}

const valuesIn = (path: string) => {
  const database = new DatabaseSync(path, { readOnly: true });
  const rows = database.prepare("select v from t").all();
  database.close();
  return rows.map((row) => row["v"]);
};

test("pipes, sockets, folders and links in place of what SQLite keeps hold nothing up", {
  tags: "long",
  timeout: 120_000,
}, async () => {
  const { data, leftOut, roundTrip } = deployment();
  for (const name of ["good", "journal", "wal", "shm", "linked", "folder"])
    newDatabase(join(data, `${name}.db`), name).close();
  for (const kind of ["journal", "wal", "shm"]) execFileSync("mkfifo", [join(data, `${kind}.db-${kind}`)]);
  symlinkSync("journal.db-journal", join(data, "linked.db-wal"));
  mkdirSync(join(data, "folder.db-journal"));
  // As a crash leaves it: the journal has to be rolled back.
  const crashing = newDatabase(join(data, "..", "crashing.db"), "crashed");
  onTestFinished(() => crashing.close());
  crashing.exec("pragma cache_size = 5; begin; create table f (b); insert into f values (randomblob(1000000))");
  crashing.exec("insert into t values ('not committed')");
  for (const end of ["", "-journal"]) cpSync(join(data, "..", `crashing.db${end}`), join(data, `crashed.db${end}`));
  const restored = await roundTrip();
  for (const name of ["good", "crashed"]) expect(valuesIn(join(restored, `${name}.db`))).toEqual([name]);
  const reason = (name: string) => `cannot be copied (${name} is not a regular file)`;
  expect(leftOut.sort()).toEqual([
    `apps/dep_1/data/folder.db: ${reason("folder.db-journal")}`,
    `apps/dep_1/data/journal.db: ${reason("journal.db-journal")}`,
    `apps/dep_1/data/linked.db: ${reason("linked.db-wal")}`,
    `apps/dep_1/data/shm.db: ${reason("shm.db-shm")}`,
    `apps/dep_1/data/wal.db: ${reason("wal.db-wal")}`,
  ]);
});

test("a database that a program keeps locked ends at its time limit, and the next one is copied", async () => {
  const { sandbox, data, place } = deployment();
  newDatabase(join(data, "a-locked.db"), "x").close();
  // In a process of its own: whoever closes a file gives up all locks of his own.
  const lock = `const { DatabaseSync } = require("node:sqlite");
    const database = new DatabaseSync("a-locked.db");
    database.exec("begin exclusive; insert into t values ('y')");
    console.log("locked");
    process.stdin.resume();`;
  const holder = spawn(process.execPath, ["--no-warnings", "-e", lock], {
    cwd: data,
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void holder.kill());
  await once(holder.stdout, "data");
  newDatabase(join(data, "b-good.db"), "good").close();
  const limits = { busyMs: 20, databaseMs: 60_000, togetherMs: 120_000, bytesPerSecond: 2 ** 20 };
  const tree = { folder: data, account: "dep_1", maxEntries: 1_000 };
  const { copies, failures } = await copySqlite({ sandbox, signal }, tree, join(place, "scratch"), limits);
  expect([...failures]).toEqual([["a-locked.db", "a program keeps it locked"]]);
  expect(valuesIn(join(place, "scratch", copies.get("b-good.db")!))).toEqual(["good"]);
  // Without any time, each is told.
  const none = await copySqlite({ sandbox, signal }, tree, join(place, "none"), { ...limits, togetherMs: -60_000 });
  expect([...none.failures.keys()]).toEqual(["a-locked.db", "b-good.db"]);
}, 120_000);

test("a folder that its program fills ahead of the backup is searched for databases so far, which is told", async () => {
  const { sandbox, data, place } = deployment();
  newDatabase(join(data, "a.db"), "kept").close();
  for (let n = 0; n < 30; n += 1) mkdirSync(join(data, `folder-${n}`));
  const tree = { folder: data, account: "dep_1", maxEntries: 20 };
  const { copies, failures } = await copySqlite({ sandbox, signal }, tree, join(place, "scratch"), usualLimits);
  expect([...failures]).toEqual([[".", "the folder grew while databases were looked for"]]);
  expect([...copies.keys()]).toEqual(["a.db"]);
}, 120_000);

test("copies that break a limit say which one", async () => {
  const { sandbox, data, place } = deployment();
  newDatabase(join(data, "a.db"), "kept").close();
  const tree = { folder: data, account: "dep_1", maxEntries: 1_000 };
  const small: typeof sandbox.runCommand = async (toRun, limits) => {
    // A program that waits, so that its memory is seen in any case.
    return sandbox.runCommand({ ...toRun, command: "exec sleep 600" }, { ...limits, memoryBytes: 1 });
  };
  const deps = { sandbox: { runCommand: small }, signal };
  const { failures } = await copySqlite(deps, tree, join(place, "scratch"), usualLimits);
  expect([...failures]).toEqual([
    ["a.db", expect.stringMatching(/^Process killed due to memory limit exceeded\. The copy used \d+[KM]B, /)],
  ]);
});

test("what else lies in the folder does not count as the copies' disk space", async ({ skip }) => {
  const { sandbox, data, place } = deployment();
  newDatabase(join(data, "a.db"), "kept").close();
  const filled = spawnSync("fallocate", ["-l", "300M", join(data, "uploads.bin")]);
  skip(filled.status !== 0, "the disk does not reserve space");
  const tree = { folder: data, account: "dep_1", maxEntries: 1_000 };
  const { copies, failures } = await copySqlite({ sandbox, signal }, tree, join(place, "scratch"), usualLimits);
  expect([...failures]).toEqual([]);
  expect(valuesIn(join(place, "scratch", copies.get("a.db")!))).toEqual(["kept"]);
});

test("what is made a pipe at the last moment ends at its time limit, and the next one is copied", {
  tags: "long",
  timeout: 120_000,
}, async () => {
  const { data, place } = deployment();
  for (const name of ["pipe", "good"]) newDatabase(join(data, `${name}.db`), name).close();
  execFileSync("mkfifo", [join(data, "pipe.db-journal")]);
  const copier = fileURLToPath(new URL("../../../src/app/backup/sqlite-copier.mjs", import.meta.url));
  const databases = [
    { path: join(data, "pipe.db"), limitMs: 500 },
    { path: join(data, "good.db"), limitMs: 60_000 },
  ];
  const input = JSON.stringify({ busyMs: 1_000, limitMs: 60_000, databases });
  const out = execFileSync(process.execPath, ["--no-warnings", copier], { cwd: place, input, encoding: "utf8" });
  expect(JSON.parse(out)).toEqual({ index: 0, reason: "it took longer than 1 s" });
  expect(valuesIn(join(place, "1.db"))).toEqual(["good"]);
});

test("a database with many names is copied and packed once, as of the name that is written to", {
  tags: "long",
  timeout: 120_000,
}, async () => {
  const { data, leftOut, roundTrip, archive } = deployment();
  const database = newDatabase(join(data, "m.db"), "old");
  onTestFinished(() => database.close());
  database.exec("pragma journal_mode = wal; pragma wal_autocheckpoint = 0");
  database.exec("create table filled (b); insert into filled values (randomblob(1000000)); pragma wal_checkpoint");
  for (const name of ["a.db", "z.db", "zz.db"]) linkSync(join(data, "m.db"), join(data, name));
  database.exec("insert into t values ('new')");
  writeFileSync(join(data, "zz.db-journal"), "another's");
  const restored = await roundTrip();
  expect(leftOut).toEqual([
    "apps/dep_1/data/zz.db: cannot be copied (it is the same file as 'm.db', and each has a journal)",
  ]);
  for (const name of ["a.db", "m.db", "z.db"]) expect(valuesIn(join(restored, name))).toEqual(["old", "new"]);
  expect(statSync(join(restored, "m.db")).nlink).toBe(3);
  expect(readFileSync(archive).length).toBeLessThan(1_300_000);
});

test("what the disk cannot read, and folders by the thousand inside each other, are told, and the rest is packed", {
  tags: "long",
  timeout: 120_000,
}, async ({ skip }) => {
  const { data, leftOut, roundTrip } = deployment();
  if (!makeUnreadableFile(join(data, "broken"))) return skip("needs root, and a process's memory as a file");
  newDatabase(join(data, "good.db"), "good").close();
  // As a program does it: by short names, from folder to folder.
  const nest = `import os, shutil
for n in range(5000):
    name = "d" * (100 if n < 60 else 1)
    os.mkdir(name)
    os.chdir(name)
    if n in (2, 30, 50, 300, 4999): shutil.copy(DATABASE, "deep.db")`;
  execFileSync("python3", ["-c", nest.replace("DATABASE", JSON.stringify(join(data, "good.db")))], { cwd: data });
  onTestFinished(() => removeFolder(join(data, "d".repeat(100))));
  const restored = await roundTrip();
  expect(valuesIn(join(restored, "good.db"))).toEqual(["good"]);
  expect(valuesIn(join(restored, ...Array(3).fill("d".repeat(100)), "deep.db"))).toEqual(["good"]);
  expect(leftOut.map((text) => text.replace(/d{9,}.*?:/, "…:")).sort()).toEqual([
    "apps/dep_1/data/broken: cannot be read by the disk (EIO): its end is zeros",
    // SQLite itself takes no path of more than 512 bytes.
    "apps/dep_1/data/…: cannot be copied (unable to open database file)",
    "apps/dep_1/data/…: cannot be copied (unable to open database file)",
    "apps/dep_1/data/…: has a path longer than 4095 bytes",
  ]);
});

test("what is kept of versions for other environments is restored, and shared as before", async () => {
  const { place } = deployment();
  const appsFolder = join(place, "apps");
  const sealed = (apps: string, name: string) => join(apps, name, "sealed");
  for (const [name, release] of [
    ["dep_1", "rel_1"],
    ["dep_2", "rel_2"],
  ] as const) {
    mkdirSync(sealed(appsFolder, name), { recursive: true });
    mkdirSync(join(appsFolder, name, "releases", release), { recursive: true });
  }
  writeFileSync(join(sealed(appsFolder, "dep_1"), "rel_1.tar"), "as built");
  linkSync(join(sealed(appsFolder, "dep_1"), "rel_1.tar"), join(sealed(appsFolder, "dep_2"), "rel_2.tar"));
  // Whatever else is there is nobody's version.
  writeFileSync(join(sealed(appsFolder, "dep_1"), "rel_1.tar.new"), "unfinished");
  execFileSync("mkfifo", [join(sealed(appsFolder, "dep_1"), "rel_3.tar")]);
  const leftOut: string[] = [];
  const onLeftOut = ({ path, reason }: LeftOut) => void leftOut.push(`${path}: ${reason}`);
  const [backup, restored] = [join(place, "backup"), join(place, "restored")];
  const { sandbox } = sandboxFor(ways[0]);
  const [packing, unpacking] = [{ sealedCopies: new Map() }, { sealedCopies: new Map() }];
  const deps = { sandbox, signal, progress, onLeftOut, ...packing };
  const apps = [
    await packApp(deps, { appsFolder, deploymentId: "dep_1" }, backup),
    await packApp(deps, { appsFolder, deploymentId: "dep_2" }, backup),
  ];
  for (const app of apps) await unpackApp(app!, { backup, appsFolder: restored, progress, onLeftOut, ...unpacking });
  expect(leftOut).toEqual(["apps/dep_1/sealed/rel_3.tar: 'rel_3.tar' is a pipe, not a regular file."]);
  expect(readFileSync(join(sealed(restored, "dep_2"), "rel_2.tar"), "utf8")).toBe("as built");
  expect(statSync(join(sealed(restored, "dep_1"), "rel_1.tar")).nlink).toBe(2);
  expect(statSync(join(sealed(restored, "dep_1"), "rel_1.tar")).mode & 0o777).toBe(0o600);
}, 120_000);
