import { mkdtempSync, rmSync } from "node:fs";
import { cp, mkdir, readdir, readFile, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createBackup } from "../../../src/app/backup/create-backup.ts";
import type { Manifest } from "../../../src/app/backup/manifest.ts";
import { restoreBackup } from "../../../src/app/backup/restore-backup.ts";
import { readConfig } from "../../../src/app/config.ts";
import { readHostId } from "../../../src/deployment/index.ts";
import { writeHeaders } from "../../../src/platform/archive/pax-header.ts";
import { kinds } from "../../../src/platform/archive/tar-header.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { CopySession, openDataFolder } from "../../../src/platform/database/index.ts";
import { loadKeyring } from "../../../src/platform/secrets/index.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database/test-database.ts";
import { makeUnreadableFile } from "../../support/files/unreadable-file.ts";
import { cannotFillDisk, fillDisk, smallDisk } from "../../support/small-disk.ts";

const migrations = fileURLToPath(new URL("../../../src/platform/database/migrations", import.meta.url));
const [source, target] = [await createTestDatabase(migrations), await createTestDatabase(migrations)];
const place = mkdtempSync(join(tmpdir(), "slipway-backup-"));
afterAll(() => rmSync(place, { recursive: true, force: true }));
const digest = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";

const configOf = (name: string, { url }: TestDatabase) =>
  readConfig(["--data", join(place, name)], { SLIPWAY_DATABASE_URL: url, SLIPWAY_LOG_LEVEL: "silent" }).config;
const config = configOf("data", source);
const elsewhere = configOf("elsewhere", target);
const deps = { clock: systemClock, version: "9.9.9", progress: () => undefined, signal: new AbortController().signal };
const backUp = (name: string) => createBackup({ ...deps, config }, join(place, name));
const restore = (name: string) => restoreBackup({ ...deps, config: elsewhere }, join(place, name));

async function open({ connection }: TestDatabase): Promise<CopySession> {
  const session = await CopySession.open(connection);
  onTestFinished(() => session.close());
  return session;
}

/** A backup with something of it changed. */
async function changed(name: string, change: (folder: string, manifest: Manifest) => Promise<unknown>): Promise<void> {
  const folder = join(place, name);
  await cp(join(place, "good"), folder, { recursive: true });
  await change(folder, JSON.parse(await readFile(join(folder, "manifest.json"), "utf8")) as Manifest);
}

const rewritten = (changes: object) => (folder: string, manifest: Manifest) =>
  writeFile(join(folder, "manifest.json"), JSON.stringify({ ...manifest, ...changes }));

/** The long run leaves out the tests before those that it tries. */
beforeAll(async () => {
  await openDataFolder(config.dataFolder);
  const keyring = await loadKeyring({ variable: undefined, file: join(config.dataFolder, "master-key") });
  const session = await CopySession.open(source.connection);
  await session.query("insert into users (id, name, role) values ('usr_1', 'Ada', 'svc:admin')");
  await session.query(
    "insert into tokens (id, user_id, kind, family_id, hash, key_version) values ('tok_1', 'usr_1', 'access', 'f', '', 1)",
  );
  await session.query("insert into master_keys (version, fingerprint) values (1, $1)", [keyring.fingerprints().get(1)]);
  await session.query("insert into deliveries (webhook_id, event_id, event, project_id) values ('w', 'e', 'x', '')");
  await session.query("insert into blobs (digest, size_bytes) values ($1, 5), ($2, 5)", [
    digest,
    digest.replace("2", "3"),
  ]);
  await mkdir(join(config.artifactsFolder, digest.slice(0, 2)), { recursive: true });
  await writeFile(join(config.artifactsFolder, digest.slice(0, 2), digest.slice(2)), "hello");
  await session.close();
  await backUp("good");
});

test("a backup is made beside no other, and only of a service's data", async () => {
  const empty = configOf("empty", source);
  const nothing = createBackup({ ...deps, config: empty }, join(place, "first"));
  await expect(nothing).rejects.toThrow("There is no service's data in");

  await mkdir(join(place, "first.partial"));
  await writeFile(join(place, "first.partial", "somebody's"), "");
  await expect(backUp("first")).rejects.toThrow("is not an unfinished backup");
  await writeFile(join(place, "first.partial", "process"), `${process.ppid}\n`);
  await expect(backUp("first")).rejects.toThrow(`The process ${process.ppid} is making this backup already`);
  rmSync(join(place, "first.partial"), { recursive: true });

  const manifest = await backUp("first");
  expect(manifest).toMatchObject({ artifacts: { count: 1, bytes: 5 }, apps: [], tables: { users: 1, deliveries: 1 } });
  expect(manifest.left_out, "the database counts on it").toEqual([`artifacts/${digest.replace("2", "3")}: is missing`]);
  await expect(backUp("good")).rejects.toThrow("exists already");
  await symlink("nowhere", join(place, "link"));
  await expect(backUp("link")).rejects.toThrow("exists already");
  expect((await readdir(place)).filter((name) => name.endsWith(".partial"))).toEqual([]);
});

test("a deployment that somebody removes after the database was copied is told, and only if it has had a version", {
  tags: "long",
}, async () => {
  const session = await open(source);
  const host = await readHostId(config.dataFolder, 0);
  await session.query(
    `insert into applications (id, owner_id, document_id, projects, latest_project_id, updated_at)
     values ('app_1', 'usr_1', 'a', 1, 'proj_1', now())`,
  );
  await session.query(
    `insert into deployments (id, application_id, environment, host, release_id)
     values ('dep_1', 'app_1', 'a', $1, 'rel_1'), ('dep_2', 'app_1', 'b', $1, null), ('dep_3', 'app_1', 'c', $1, 'rel_3')`,
    [host],
  );
  onTestFinished(async () => void (await session.query("delete from applications; delete from removed_deployments")));
  await mkdir(join(config.dataFolder, "apps", "dep_3", "releases", "rel_3"), { recursive: true });
  const manifest = await backUp("with-removed");
  expect(manifest.left_out).toContain("apps/dep_1/releases/rel_1: is missing");
  expect(manifest.left_out.filter((text) => text.startsWith("apps/"))).toHaveLength(1);
  expect(manifest.apps.map(({ deployment_id }) => deployment_id)).toEqual(["dep_3"]);
});

test("an artifact that the disk cannot read is told, and the backup goes on", async ({ skip }) => {
  const broken = digest.replace("2", "4");
  const file = join(config.artifactsFolder, broken.slice(0, 2), broken.slice(2));
  await mkdir(join(file, ".."), { recursive: true });
  onTestFinished(() => rmSync(join(file, ".."), { recursive: true }));
  if (!makeUnreadableFile(file)) return skip("needs root, and a process's memory as a file");
  const manifest = await backUp("without-one");
  expect(manifest.artifacts).toEqual({ count: 1, bytes: 5 });
  expect(manifest.left_out).toContain(`artifacts/${broken}: cannot be read by the disk (EIO)`);
  const kept = await readdir(join(place, "without-one", "artifacts"), { recursive: true });
  expect(kept.filter((name) => name.includes("/"))).toEqual([`${digest.slice(0, 2)}/${digest.slice(2)}`]);
});

test.skipIf(cannotFillDisk)(
  "a full disk ends a backup in the middle of a table, and nothing of it is left",
  { tags: "long" },
  async () => {
    const session = await open(source);
    await session.query(
      `insert into audit (id, actor, actor_name, action, target, address, request_id)
     select n::text, md5(n::text), md5((n + 1)::text), 'a', md5((n + 2)::text), '', '' from generate_series(1, 60000) as n`,
    );
    onTestFinished(async () => void (await session.query("truncate audit")));
    const disk = smallDisk("1m");
    await expect(createBackup({ ...deps, config }, join(disk, "full"))).rejects.toThrow(
      "There is no space left on the disk",
    );
    expect(await readdir(disk)).toEqual([]);
  },
);

test.skipIf(cannotFillDisk)("a disk that is full already is told of, and nothing of the backup is left", async () => {
  const disk = smallDisk("1m");
  fillDisk(disk);
  await expect(createBackup({ ...deps, config }, join(disk, "full"))).rejects.toThrow(
    "There is no space left on the disk",
  );
  expect(await readdir(disk)).toEqual(["ballast"]);
});

test("what is not a whole backup of this version, or lacks its key, is refused before anything is changed", async () => {
  await expect(restore("nowhere")).rejects.toThrow("is not a whole backup");
  await changed("other", rewritten({ migrations: [{ name: "0001-schema.sql", checksum: "x" }] }));
  await expect(restore("other")).rejects.toThrow("was made by Slipway 9.9.9, whose database differs");
  await changed("future", rewritten({ format: 2 }));
  await expect(restore("future")).rejects.toThrow("by Slipway 9.9.9 in a format that this Slipway does not know");
  const apps = [{ deployment_id: "../../etc", releases: [], current: null, has_data: true }];
  await changed("climbing", rewritten({ apps }));
  await expect(restore("climbing")).rejects.toThrow("is damaged");
  await expect(restore("good")).rejects.toThrow("The master key is missing");
  await openDataFolder(elsewhere.dataFolder);
  await loadKeyring({ variable: undefined, file: join(elsewhere.dataFolder, "master-key") });
  await expect(restore("good")).rejects.toThrow("The master key of version 1 is not the one of the backup");
  await cp(join(config.dataFolder, "master-key"), join(elsewhere.dataFolder, "master-key"));
  await mkdir(join(elsewhere.dataFolder, "apps", "dep_1"), { recursive: true });
  await expect(restore("good")).rejects.toThrow("apps is not empty");
  rmSync(join(elsewhere.dataFolder, "apps"), { recursive: true });
});

test("a damaged backup leaves the database empty, and a whole one is restored after it", { tags: "long" }, async () => {
  await openDataFolder(elsewhere.dataFolder);
  await cp(join(config.dataFolder, "master-key"), join(elsewhere.dataFolder, "master-key"));
  await changed("cut", (folder) => truncate(join(folder, "database", "users.copy.gz"), 15));
  await expect(restore("cut")).rejects.toThrow(/users\.copy\.gz cannot be loaded: unexpected end of file/);
  await changed("short", (folder) =>
    cp(join(folder, "database", "audit.copy.gz"), join(folder, "database", "users.copy.gz")),
  );
  await expect(restore("short")).rejects.toThrow("has 0 rows, not the 1 of the manifest");
  await changed("orphan", async (folder, manifest) => {
    await cp(join(folder, "database", "audit.copy.gz"), join(folder, "database", "users.copy.gz"));
    await rewritten({ tables: { ...manifest.tables, users: 0 } })(folder, manifest);
  });
  await expect(restore("orphan"), "a token of a user who is missing").rejects.toThrow("foreign key");
  const session = await open(target);
  expect(await session.query("select from users")).toEqual([]);

  // The backup is not to blame for what befalls the database.
  const befall = (what: string) =>
    session.query(`create or replace function befall() returns bool language plpgsql as 'begin ${what}; end'`);
  await befall("return true");
  await session.query("alter table users add constraint befalls check (befall())");
  await befall("raise exception ''could not extend file'' using errcode = ''53100''");
  await expect(restore("good")).rejects.toThrow("The database's disk is full. Make room, and try again.");
  await befall("perform pg_terminate_backend(pg_backend_pid()); return true");
  await expect(restore("good")).rejects.toThrow(/^The database does not answer .*then try again\.$/);
  await session.query("drop function befall cascade");
  expect(await session.query("select from users")).toEqual([]);

  // What does not fit into this place is told, and keeps nothing else from it.
  await changed("odd", async (folder, manifest) => {
    const header = (path: string) => [...writeHeaders({ path, mode: 0o644, size: 0, kind: kinds.file, target: "" })];
    const archive = Buffer.concat([...header("x".repeat(300)), ...header("kept"), Buffer.alloc(1024)]);
    await mkdir(join(folder, "apps", "dep_1"), { recursive: true });
    await writeFile(join(folder, "apps", "dep_1", "data.tar.gz"), gzipSync(archive));
    const apps = [{ deployment_id: "dep_1", releases: [], current: null, has_data: true }];
    await rewritten({ apps })(folder, manifest);
    await writeFile(join(folder, "artifacts", digest.slice(0, 2), digest.slice(2)), "hullo");
  });
  const { not_restored } = await restore("odd");
  expect(not_restored).toEqual([
    `apps/dep_1/data/${"x".repeat(199)}…: cannot be written here (ENAMETOOLONG)`,
    `artifacts/${digest}: is damaged: its bytes have changed`,
    `artifacts/${digest.replace("2", "3")}: is missing`,
  ]);
  expect(await readdir(join(elsewhere.dataFolder, "apps", "dep_1", "data"))).toEqual(["kept"]);
  expect(await session.query("select name from users")).toEqual([{ name: "Ada" }]);
  const [first] = await (await open(source)).query<{ id: number }>("select id from deliveries");
  const [next] = await session.query<{ id: number }>(
    "insert into deliveries (webhook_id, event_id, event, project_id) values ('w', 'e', 'x', '') returning id",
  );
  expect(Number(next!.id), "sequences go on").toBe(Number(first!.id) + 1024);
  await expect(session.query("update tokens set user_id = 'usr_2'"), "checks are back").rejects.toThrow("foreign key");
  expect(await readFile(join(elsewhere.artifactsFolder, "2c", digest.slice(2)), "utf8")).toBe("hullo");
  await expect(restore("good")).rejects.toThrow("has rows");
});
