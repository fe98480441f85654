// @module-tag soak
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { createBackup } from "../../../src/app/backup/create-backup.ts";
import { restoreBackup } from "../../../src/app/backup/restore-backup.ts";
import { rotate } from "../../../src/app/commands/rotate-admin-token.ts";
import { readConfig } from "../../../src/app/config.ts";
import { serve } from "../../../src/app/serve.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { CopySession, openDataFolder } from "../../../src/platform/database/index.ts";
import { loadKeyring } from "../../../src/platform/secrets/index.ts";
import { createTestDatabase } from "../../support/database/test-database.ts";

const migrations = fileURLToPath(new URL("../../../src/platform/database/migrations", import.meta.url));
const program = fileURLToPath(new URL("../../support/backup/restore-until.ts", import.meta.url));
const [source, target] = [await createTestDatabase(migrations), await createTestDatabase(migrations)];
const place = mkdtempSync(join(tmpdir(), "slipway-killed-restore-"));
afterAll(() => rmSync(place, { recursive: true, force: true }));
const environmentOf = ({ url }: { url: string }) => ({ SLIPWAY_DATABASE_URL: url, SLIPWAY_LOG_LEVEL: "silent" });
const configIn = (name: string, database: { url: string }) =>
  readConfig(["--data", join(place, name)], environmentOf(database)).config;
const [config, elsewhere] = [configIn("data", source), configIn("elsewhere", target)];
const backup = join(place, "backup");
const signal = new AbortController().signal;
const digest = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";

await openDataFolder(config.dataFolder);
const keyring = await loadKeyring({ variable: undefined, file: join(config.dataFolder, "master-key") });
const [before, after] = [await CopySession.open(source.connection), await CopySession.open(target.connection)];
afterAll(() => Promise.all([before.close(), after.close()]));
await before.query("insert into users (id, name, role) values ('usr_1', 'Ada', 'svc:admin')");
await before.query("insert into master_keys (version, fingerprint) values (1, $1)", [keyring.fingerprints().get(1)]);
await before.query("insert into blobs (digest, size_bytes) values ($1, 5)", [digest]);
await mkdir(join(config.artifactsFolder, digest.slice(0, 2)), { recursive: true });
await writeFile(join(config.artifactsFolder, digest.slice(0, 2), digest.slice(2)), "hello");
const making = { clock: systemClock, version: "9.9.9", progress: () => undefined, signal };
await createBackup({ ...making, config }, backup);
await openDataFolder(elsewhere.dataFolder);
await cp(join(config.dataFolder, "master-key"), join(elsewhere.dataFolder, "master-key"));

const usersOf = async (session: CopySession) => session.query<{ name: string }>("select name from users");
const refusal = "did not end. Run the same 'slipway restore' again";

/** Nobody takes half of it for all. */
async function expectRefused(): Promise<void> {
  await expect(serve(elsewhere)).rejects.toThrow(refusal);
  await expect(rotate(elsewhere, { isJson: true })).rejects.toThrow(refusal);
  await expect(createBackup({ ...making, config: elsewhere }, join(place, "none"))).rejects.toThrow(refusal);
}

/** How many steps a restore tells of, and one of each kind. */
async function steps(): Promise<readonly number[]> {
  const told: string[] = [];
  // Up to the last one, which refuses; nothing is restored.
  const progress = (doing: string) => {
    told.push(doing);
    if (doing.startsWith("Checking")) throw new Error("the last step");
  };
  await expect(restoreBackup({ config: elsewhere, progress }, backup)).rejects.toThrow("the last step");
  const all = told.map((_, at) => at + 1);
  if (process.env["SLIPWAY_LONG"] === "1") return all;
  return [1, Math.ceil(told.length / 2), told.length];
}

test("a restore that is killed at any step can be repeated, and until then no service starts on half of it", {
  tags: "long",
}, async () => {
  for (const step of await steps()) {
    const child = spawn(process.execPath, [program, backup, elsewhere.dataFolder, String(step)], {
      env: { ...process.env, ...environmentOf(target) },
      stdio: ["ignore", "ignore", "inherit"],
    });
    expect((await once(child, "exit"))[1], `step ${step}`).toBe("SIGKILL");
    await expectRefused();
  }
  await expect.poll(() => usersOf(after)).toEqual([]);
  await restoreBackup({ config: elsewhere, progress: () => undefined }, backup);
  expect(await usersOf(after)).toEqual([{ name: "Ada" }]);
  const kept = join(elsewhere.artifactsFolder, digest.slice(0, 2), digest.slice(2));
  expect(await readFile(kept, "utf8")).toBe("hello");
  expect(await readdir(elsewhere.dataFolder)).not.toContain("restoring");
});

test("a restore that was killed after its last row only has to say that it is whole", async () => {
  const mark = join(elsewhere.dataFolder, "restoring");
  const { created_at, host } = JSON.parse(await readFile(join(backup, "manifest.json"), "utf8")) as Record<
    string,
    string
  >;
  await writeFile(mark, `${host} ${created_at}\n`);
  await expectRefused();
  // Rows of somebody else are none of its own.
  await after.query("insert into users (id, name, role) values ('usr_2', 'Bob', 'svc:user')");
  const again = () => restoreBackup({ config: elsewhere, progress: () => undefined }, backup);
  await expect(again()).rejects.toThrow("has rows");
  await after.query("delete from users where id = 'usr_2'");
  await again();
  expect(await usersOf(after)).toEqual([{ name: "Ada" }]);
  expect(await readdir(elsewhere.dataFolder)).not.toContain("restoring");
});
