// @module-tag soak
import { spawn } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { chown, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { soakCases } from "../../../../../tools/soak-runs.ts";
import {
  dataFolder,
  processesIn,
  Starter,
  signal,
  started,
  testFolder,
  users,
} from "../../support/database/run-starter.ts";
import { until } from "../../support/until.ts";

describe.for(soakCases(users))("the embedded Postgres, run by $name", (user) => {
  test("starts in an empty folder, and again in what it made, and keeps it to its user", async () => {
    const folder = join(await testFolder(user), "data");
    const starter = await started(folder, { user });
    expect(starter.up).toMatchObject({ wasAdopted: false, folder: join(folder, "postgres") });
    await query(starter.up, "create table kept (note text); insert into kept values ('here')");
    expect(await starter.order("stop", "stopped")).toBeDefined();
    expect(await starter.start()).toMatchObject({ wasAdopted: false });
    expect(await query(starter.up, "select note from kept")).toEqual([{ note: "here" }]);
    expect(mode(folder)).toBe(user.uid === 0 ? 0o711 : 0o700);
    expect(await readFile(join(folder, ".gitignore"), "utf8")).toBe("*\n");
    const names = await readdir(folder, { recursive: true });
    const open = names.filter((name) => (modeOrNothing(join(folder, name)) & 0o077) !== 0);
    expect(open).toEqual([]);
  });

  test("is adopted when its server was killed, and started again when it dies, also when it was adopted", async () => {
    const folder = await dataFolder(user);
    const first = await started(folder, { user });
    signal(first.up.pid, "SIGKILL");
    await first.heard("log", "runs again");
    expect(await query(first.up, "select 1 as one")).toEqual([{ one: 1 }]);
    await first.kill();
    const second = await started(folder, { user });
    expect(second.up).toMatchObject({ wasAdopted: true, connection: first.up.connection });
    await second.kill();
    const third = await started(folder, { user });
    expect(third.up).toMatchObject({ wasAdopted: true, pid: second.up.pid, connection: second.up.connection });
    signal(third.up.pid, "SIGKILL");
    await third.heard("log", "runs again");
    expect(await query(third.up, "select 1 as one")).toEqual([{ one: 1 }]);
    await third.order("stop", "stopped");
    expect(processesIn(folder)).toEqual([]);
  });

  test("is started by one of several starters at once, and adopted by the others", { tags: "long" }, async () => {
    const folder = join(await testFolder(user), "data");
    const starters = await Promise.all([started(folder, { user }), started(folder, { user })]);
    expect(new Set(starters.map(({ up }) => up.pid)).size).toBe(1);
    expect(starters.filter(({ up }) => !up.wasAdopted)).toHaveLength(1);
    expect(await visible(join(folder, "postgres"))).toEqual(["data", "log", "postgresql.conf"]);
  });

  test("leaves no process when it is stopped, and stopping twice is stopping once", async () => {
    const folder = await dataFolder(user);
    const starter = await started(folder, { user });
    expect(processesIn(folder)).not.toEqual([]);
    await starter.order("stop", "stopped");
    expect(processesIn(folder)).toEqual([]);
    await starter.order("stop", "stopped");
  });

  test("starts although its lock files name a process that is another one's by now", { tags: "long" }, async () => {
    const folder = await dataFolder(user);
    const first = await started(folder, { user });
    const home = join(folder, "postgres");
    const [lock, socketLock] = [join(home, "data", "postmaster.pid"), join(home, ".s.PGSQL.5432.lock")];
    const texts = await Promise.all([readFile(lock, "utf8"), readFile(socketLock, "utf8")]);
    await first.order("stop", "stopped");

    const owner = statSync(home);
    const other = spawn("sleep", ["600"], { uid: owner.uid, gid: owner.gid });
    onTestFinished(() => void other.kill());
    for (const [index, path] of [lock, socketLock].entries()) {
      await writeFile(path, texts[index]!.replace(/^\d+/, String(other.pid)), { mode: 0o600 });
      await chown(path, owner.uid, owner.gid);
    }
    expect(await first.start()).toMatchObject({ wasAdopted: false });
    expect(other.exitCode ?? other.signalCode).toBeNull();
  });

  test("starts at once after it was killed together with its server", async () => {
    const folder = await dataFolder(user);
    const first = await started(folder, { user });
    await query(first.up, "create table kept (note text); insert into kept values ('here')");
    await first.kill();
    signal(first.up.pid, "SIGKILL");
    const second = await started(folder, { user });
    expect(second.up.wasAdopted).toBe(false);
    expect(await query(second.up, "select note from kept")).toEqual([{ note: "here" }]);
  });

  test("starts in a folder whose first start was killed in the middle, and clears up", { tags: "long" }, async () => {
    const folder = join(await testFolder(user), "data");
    const home = join(folder, "postgres");
    const first = new Starter(folder, { user });
    first.child.stdin!.write("start\n");
    await until(async () => (await readdir(home).catch(() => [])).find((name) => name.startsWith("initialising-")));
    await first.kill();
    await until(() => processesIn(folder).length === 0);
    const second = await started(folder, { user });
    expect(second.up.wasAdopted).toBe(false);
    expect(await visible(home)).toEqual(["data", "log", "postgresql.conf"]);
  });
});

describe("the embedded Postgres", () => {
  test("writes to the disk before it says that something is written, and listens on its socket only", async () => {
    const { up } = await started(await dataFolder());
    const names = ["fsync", "synchronous_commit", "full_page_writes", "listen_addresses", "server_encoding"];
    const rows = await query(up, `select name, setting from pg_settings where name = any('{${names}}') order by name`);
    expect(rows.map(({ name, setting }) => `${name}=${setting}`)).toEqual([
      "fsync=on",
      "full_page_writes=on",
      "listen_addresses=",
      "server_encoding=UTF8",
      "synchronous_commit=on",
    ]);
  });

  test("is stopped for good also in the moment of its death", { tags: "long" }, async () => {
    const folder = await dataFolder();
    const starter = await started(folder);
    signal(starter.up.pid, "SIGKILL");
    await starter.order("stop", "stopped");
    await until(() => processesIn(folder).length === 0);
  });

  test("is there for a server that starts while the one before it stops", { tags: "long" }, async () => {
    const folder = await dataFolder();
    const first = await started(folder);
    const [second] = await Promise.all([started(folder), first.order("stop", "stopped")]);
    const rows = await until(() => query(second.up, "select 1 as one").catch(() => undefined));
    expect(rows).toEqual([{ one: 1 }]);
  });

  test("is stopped although a session is in the middle of a transaction", { tags: "long" }, async () => {
    const folder = await dataFolder();
    const starter = await started(folder);
    const client = new pg.Client(starter.up.connection);
    client.on("error", () => undefined);
    await client.connect();
    await client.query("begin; create table half_done ()");
    await starter.order("stop", "stopped");
    expect(processesIn(folder)).toEqual([]);
  });

  test("is not reached by Ctrl-C on the server's terminal", async () => {
    const folder = await dataFolder();
    const starter = await started(folder);
    process.kill(-starter.child.pid!, "SIGINT");
    await starter.heard("interrupted");
    expect(await query(starter.up, "select 1 as one")).toEqual([{ one: 1 }]);
    expect(sessionOf(starter.up.pid)).not.toBe(sessionOf(starter.child.pid!));
  });

  test("that is left alone after it was adopted runs on", { tags: "long" }, async () => {
    const folder = await dataFolder();
    const first = await started(folder);
    const second = await started(folder);
    await second.order("leave", "left");
    await second.kill();
    expect(await query(first.up, "select 1 as one")).toEqual([{ one: 1 }]);
  });
});

async function query(
  { connection }: { connection: pg.ClientConfig },
  text: string,
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/** The socket and its lock are hidden. */
async function visible(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => !name.startsWith(".")).sort();
}

function mode(path: string): number {
  return statSync(path).mode & 0o777;
}

/** Nothing for what is gone meanwhile, and for a link. */
function modeOrNothing(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
}

function sessionOf(pid: number): string {
  return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ")[3]!;
}
