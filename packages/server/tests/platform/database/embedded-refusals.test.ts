import { spawnSync } from "node:child_process";
import { mkdtempSync, rmdirSync, statSync } from "node:fs";
import { chmod, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  dataFolder,
  endProcessesIn,
  isRoot,
  plainUsers,
  Starter,
  started,
  testFolder,
} from "../../support/database/run-starter.ts";

test("files are refused that are those of another major version", async () => {
  const folder = await dataFolder();
  const starter = await started(folder);
  await starter.order("stop", "stopped");
  await writeFile(join(folder, "postgres", "data", "PG_VERSION"), "16\n");
  const { code, message } = await starter.start();
  expect(code).toBe("other_major_version");
  expect(message).toMatch(/was created by Postgres 16; this Slipway brings Postgres 18.*SLIPWAY_DATABASE_URL/);
});

test("the last words of a Postgres that does not start are told", async () => {
  const folder = await dataFolder();
  const starter = await started(folder);
  const client = new pg.Client(starter.up.connection);
  await client.connect();
  await client.query("alter system set shared_buffers = '7TB'");
  await client.end();
  await starter.order("stop", "stopped");
  const { code, message } = await starter.start();
  expect(code).toBe("postgres_failed");
  expect(message).toContain("could not map anonymous shared memory");
});

test("a folder with somebody's files in it is not taken for a data folder", async () => {
  const folder = await testFolder();
  await writeFile(join(folder, "thesis.txt"), "…");
  expect(await new Starter(folder).start()).toMatchObject({ code: "folder_not_ours" });
  expect(statSync(folder).mode & 0o777).toBe(0o755);
  expect(await readdir(folder)).toEqual(["thesis.txt"]);
});

test.for(plainUsers)("a folder that $name may not write to is named", async (user) => {
  const folder = await testFolder(user);
  await chmod(folder, 0o555);
  const { code, message } = await new Starter(join(folder, "data"), { user }).start();
  expect(code).toBe("folder_not_writable");
  expect(message).toContain(`This user cannot write to ${join(folder, "data")}`);
});

describe.runIf(isRoot && canMount())("a disk that is full is named", () => {
  test("when there is no database yet", async () => {
    const folder = await smallDisk("24m");
    const { code, message } = await new Starter(join(folder, "data")).start();
    expect(code).toBe("disk_full");
    expect(message).toContain(`no space left on the disk of ${folder}`);
    expect(await visible(join(folder, "data", "postgres"))).toEqual([]);
  });

  test("when there is one, which starts again as soon as there is room", { tags: "long" }, async () => {
    const folder = await smallDisk("64m");
    const starter = await started(join(folder, "data"));
    await starter.order("stop", "stopped");
    const filling = spawnSync("dd", ["if=/dev/zero", `of=${folder}/filling`, "bs=4k"]);
    expect(filling.stderr.toString()).toContain("No space left");
    expect(await starter.start()).toMatchObject({ code: "disk_full" });
    await rm(join(folder, "filling"));
    expect(await starter.start()).toMatchObject({ event: "started" });
  });
});

test.runIf(isRoot && plainUsers.length > 0)("a user without a name is told what to do", { tags: "long" }, async () => {
  const user = { name: "nameless", uid: 1234567, gid: 1234567 };
  const { code, message } = await new Starter(join(await testFolder(user), "data"), { user }).start();
  expect(code).toBe("user_without_name");
  expect(message).toContain("The user 1234567 has no name");
});

/** A disk of that size. */
async function smallDisk(size: string): Promise<string> {
  const folder = await testFolder();
  mount(folder, size);
  onTestFinished(async () => {
    await endProcessesIn(folder);
    spawnSync("umount", ["-l", folder]);
  });
  return folder;
}

/** Containers mostly may not. */
function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), "slipway-mount-"));
  const isMounted = mount(folder, "1m");
  if (isMounted) spawnSync("umount", [folder]);
  rmdirSync(folder);
  return isMounted;
}

function mount(folder: string, size: string): boolean {
  return spawnSync("mount", ["-t", "tmpfs", "-o", `mode=755,size=${size}`, "tmpfs", folder]).status === 0;
}

/** The socket and its lock are hidden. */
async function visible(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => !name.startsWith(".")).sort();
}
